import { type Classification, isJsonObject, isSmallTalk, type JsonValue, type Layer, wordsOf } from "@workrail/core";
import { classifyWords } from "./classify-key.ts";
import { byShape, isLog } from "./fleeting-shape.ts";
import { inEnglish } from "./in-english.ts";
import { isNoise } from "./noise.ts";
import { CUES, LONGEST_CUE, LONGEST_CUES, OPENERS, PASTS, WIDE_CUES, WISHES } from "./cues.ts";
import { firstKeys, firstMembers, isMaterial, isWideText, LONG_TEXT, sampleText, saysLimit } from "./value-shape.ts";
import { CARRIERS, FOLLOWERS, LISTINGS, MODIFIERS, OPAQUE, PREPOSITIONS, SPECIMENS } from "./vocabulary.ts";

/*
 * Classification by the value alone, for keys that say nothing. The regular expressions here read at most a page of text and have
 * no nested repetitions, so no text makes them slow.
 */

const NO_WORD = /[\s,;:!?"()[\]{}<>/\\|*`_=+#]+|\.+(?=\s|$)/;

const DIGIT = /\d/;

/**
 * Classifies by the shape and words of a value. Returns `undefined` when they give no hint. `isOpaque` is true when the key gave
 * no hint at all.
 */
export function classifyValue(value: JsonValue, isOpaque: boolean): Classification | undefined {
  if (isSetOfIds(value)) return { layer: "EPHEMERAL", confidence: 0.6, why: "a set of identifiers" };
  return byShape(value, isOpaque) ?? (isOpaque ? byMembers(value) : undefined) ?? byText(value, isOpaque);
}

/** Classifies an object by its first members: the most important layer wins, unless members of other layers outvote it. */
function byMembers(value: JsonValue): Classification | undefined {
  if (isMessages(value)) return { layer: "USEFUL", confidence: 0.8, why: "messages" };
  if (Array.isArray(value)) return byRecords(firstMembers(value));
  if (!isJsonObject(value)) return undefined;
  const told = firstKeys(value).flatMap((key) => byField(key, value[key] ?? null) ?? []);
  const counted = (layer: Layer): number => told.filter((each) => each.layer === layer).length;
  const critical = told.find((each) => each.layer === "CRITICAL");
  const important = critical ?? told.find((each) => each.layer === "IMPORTANT");
  // One noun of thinking among meaningless names is a coincidence: the `model` of a car.
  const outOf = critical === undefined ? firstKeys(value).length : told.length;
  const isOutvoted = critical === undefined && counted("USEFUL") >= counted("IMPORTANT");
  if (important !== undefined && !isOutvoted && counted(important.layer) * 2 >= outOf)
    return { ...important, confidence: 0.6, why: `holds ${important.why}` };
  const ephemeral = told.find((each) => each.layer === "EPHEMERAL");
  if (ephemeral !== undefined && counted("EPHEMERAL") === firstKeys(value).length)
    return { ...ephemeral, confidence: 0.6, why: `holds ${ephemeral.why}` };
  return undefined;
}

/** Classifies a list of records as CRITICAL when every record is. */
function byRecords(members: readonly JsonValue[]): Classification | undefined {
  if (members.length === 0 || !members.every(isJsonObject)) return undefined;
  const [first, ...others] = members.map((member) => byMembers(member));
  return first?.layer === "CRITICAL" && others.every((each) => each?.layer === "CRITICAL") ? first : undefined;
}

/** Tells whether the object maps hashes to counts or flags: `{ "9ac1": 1, "77fe": 2 }`. */
function isSetOfIds(value: JsonValue): boolean {
  const keys = isJsonObject(value) ? firstKeys(value) : [];
  if (keys.length < 2 || !isJsonObject(value)) return false;
  return keys.every((key) => (value[key] === true || Number.isInteger(value[key])) && SHORT_HASH.test(key));
}

const SHORT_HASH = /^(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{4,}$/;

/** Classifies one field. Ignores an ephemeral name over a substantial value. */
function byField(key: string, member: JsonValue): Classification | undefined {
  const words = inEnglish(wordsOf(key), member);
  const told = classifyWords(words, member);
  return told?.layer === "EPHEMERAL" && !isNoise(words, member) ? undefined : told;
}

/** Returns CRITICAL for an object of which every field is, such as goals and requirements, under any key. */
export function byBinding(value: JsonValue): Classification | undefined {
  const keys = isJsonObject(value) ? firstKeys(value) : [];
  if (!isJsonObject(value) || keys.length < 2 || !keys.every((key) => byField(key, value[key] ?? null)?.layer === "CRITICAL"))
    return undefined;
  return { layer: "CRITICAL", confidence: 0.5, why: `holds "${keys[0]}" and similar keys` };
}

function isMessages(value: JsonValue): boolean {
  const members = Array.isArray(value) ? firstMembers(value) : [];
  return (
    members.length > 0 && members.every((member) => isJsonObject(member) && ("role" in member || "sender" in member || "author" in member))
  );
}

function byText(value: JsonValue, isOpaque: boolean): Classification | undefined {
  const text = sampleText(value);
  if (text.length < 4) return undefined;
  if (isLog(text)) return { layer: "EPHEMERAL", confidence: 0.7, why: "log lines" };
  if (isConversation(text)) return { layer: "USEFUL", confidence: 0.7, why: "a conversation" };
  const titled = isOpaque ? byTitle(text) : undefined;
  if (titled !== undefined) return titled;
  if (isMail(text)) return { layer: "USEFUL", confidence: 0.7, why: "a mail" };
  if (NUMBERED.test(text.slice(0, LONGEST_LABEL))) return { layer: "USEFUL", confidence: 0.6, why: "a numbered text" };
  if (isMaterial(text)) return { layer: "USEFUL", confidence: 0.7, why: "code, markup or output" };
  if (typeof value === "string" && value.length > LONG_TEXT) return { layer: "USEFUL", confidence: 0.6, why: "long text" };
  const label = byLabel(text);
  if (label?.layer === "USEFUL") return label;
  if (!isOpaque) return byOrder(text) ?? (label?.layer === "CRITICAL" ? label : undefined) ?? bySentence(value, text);
  if (label?.layer === "CRITICAL") return label;
  const words = wordsOfText(text);
  if (isSmallTalk(words)) return { layer: "EPHEMERAL", confidence: 0.5, why: "small talk" };
  return byStatus(text) ?? saysWide(text) ?? byCues(words) ?? label ?? byTense(value, words);
}

/** Classifies a text by its title, at any length: `# Policy for refunds`. */
function byTitle(text: string): Classification | undefined {
  const title = TITLE.exec(text)?.[1];
  const told = title === undefined ? undefined : classifyWords(wordsOf(title), text);
  return told?.layer === "CRITICAL" ? { ...told, confidence: 0.6, why: `titled with ${told.why}` } : undefined;
}

const TITLE = /^\s*#{1,2} ([^\n]{1,100})\n/;

/** Classifies a text by its label, read like a key: `Decision: ...`, `Auszug: ...`. */
function byLabel(text: string): Classification | undefined {
  const label = LABEL.exec(text)?.[1];
  if (label === undefined) return undefined;
  const words = inEnglish(wordsOf(label), text);
  // `Request failed: ...` reports an event of a request.
  const last = words.at(-1) ?? "";
  if ((last.endsWith("ed") || FOLLOWERS.has(last)) && !MODIFIERS.CRITICAL.has(last)) return undefined;
  if (words.length > MOST_OF_LABEL || PREPOSITIONS.has(words[0] ?? "") || words.every((word) => OPAQUE.has(word))) return undefined;
  const told = classifyWords(words, text);
  if (told === undefined || told.layer === "EPHEMERAL") return undefined;
  const isSpecimen = words.some((word) => SPECIMENS.has(word));
  if (told.layer === "USEFUL" && !isSpecimen) return undefined;
  return { layer: told.layer, confidence: 0.55, why: `text begins with "${label}"` };
}

const LONGEST_LABEL = 40;
const MOST_OF_LABEL = 6;
const LABEL = /^\s*(\p{L}[^:：\n.;,!?]{1,38})(?:: |：|:(?=[\u3040-\u9fff]))/u;

/** `Article 12. ...`, `第十条 ...` */
const NUMBERED = /^\s*(?:(?:article|section|artikel|artículo|art\.|§) ?\d+\. |第[一二三四五六七八九十百\d]+[条章節节][ \u3000])/i;

/** Tells whether a text begins with the header of a mail. */
function isMail(text: string): boolean {
  return MAIL_HEAD.test(text.slice(0, MOST_OF_HEAD));
}

const MOST_OF_HEAD = 200;
const MAIL_HEAD = /^\s*(?:from|to|von|an|de): [^\n]+\n(?:from|to|cc|date|sent|subject|von|an|datum|betreff|para|asunto|objet): /i;

/** Recognises decisions, wishes and promises in a note, or under another name that only says that somebody wrote it. */
export function byDecision(words: readonly string[], value: JsonValue): Classification | undefined {
  const name = words.at(-1) ?? "";
  if (Array.isArray(value)) return LISTINGS.has(name) ? byRecords(firstMembers(value)) : undefined;
  if (typeof value !== "string" || value.length > LONG_TEXT || !CARRIERS.has(name)) return undefined;
  const label = byLabel(value);
  if (label?.layer === "CRITICAL") return label;
  const said = saysDecided(value);
  return said === undefined ? undefined : { layer: "CRITICAL", confidence: 0.5, why: `text says "${said}"` };
}

/** Maximum characters of a status line of a program. */
const LONGEST_STATUS = 80;
/** `Saving...`, `Uploading 4 of 9`, `still loading` */
const UNDER_WAY =
  /^(?:still |now )?(?!(?:any|every|no|some)thing\b|during\b|morning\b|evening\b)[a-z]{2,}ing\b[^.!?]*(?:\.\.\.|\u2026|\d[^.!?]*)\s*\)?$/;
const ELAPSED = /\b(?:ms|s|secs?|seconds?|mins?|minutes?|hours?|moments?) ago\b|\bjust now\b/;
/** `worker 7 idle` */
const MACHINE_STATE =
  /^(?:worker|thread|process|job|pool|socket|connection|session|node|server|queue|cache|container|pod|client|timer|spinner|cursor)(?: ?#?\d+)? (?:is )?(?:idle|busy|running|started|stopped|ready|up|down|waiting|connected|disconnected|closed|alive|exited|visible|hidden|warm|cold|empty|drained)[.!]?$/;
const FIGURE_WITH_UNIT = /\b\d+(?:\.\d+)?\s?(?:ms|s|secs?|seconds?|minutes?|[kmg]i?b|bytes|fps|rps|%)(?![a-z])/g;

/** `Cache warmed in 140 ms` */
const DONE_IN = /^[a-z]+(?: #?\d+)? (?:[a-z]+ed|done|ok) in \d+(?:\.\d+)? ?(?:ms|s|seconds?)(?:[,;] [^.]{1,40})?[.!]?$/;

/** Recognises the status lines of programs. */
function byStatus(text: string): Classification | undefined {
  if (text.length > LONGEST_STATUS || text.trim().includes("\n")) return undefined;
  const small = text.trim().toLowerCase();
  // Limits contain measures, too.
  if (saysLimit(small)) return undefined;
  if (MACHINE_STATE.test(small) || DONE_IN.test(small) || isGauges(small))
    return { layer: "EPHEMERAL", confidence: 0.6, why: "machine status" };
  if (UNDER_WAY.test(small)) return { layer: "EPHEMERAL", confidence: 0.6, why: "present activity" };
  const figures = small.match(FIGURE_WITH_UNIT)?.length ?? 0;
  const isTold = figures > 0 && small.split(" ").length <= figures * WORDS_A_FIGURE;
  if (isTold || ELAPSED.test(small)) return { layer: "EPHEMERAL", confidence: 0.5, why: "a measurement" };
  return undefined;
}

const WORDS_A_FIGURE = 4;

/** Tells whether the text is a row of figures about a program: `worker-3 idle; queue depth 0; uptime 86400s`. */
function isGauges(small: string): boolean {
  if (!GAUGE.test(small)) return false;
  const figures = small.split(/[,;|]+/).map((part) => part.trim());
  return (
    (figures.length > 1 || BARE_GAUGE.test(small)) && figures.every((part) => DIGIT.test(part) && part.split(" ").length <= WORDS_A_FIGURE)
  );
}

const BARE_GAUGE = /^(?:took|uptime|elapsed|eta|ttl)\b/;
const GAUGE =
  /\b(?:took|uptime|elapsed|eta|worker|thread|queue|retries|attempts?|pid|heap|rss|cpu|mem|memory|latency|fps|rps|qps|tokens|ttl|batch|epoch|loss)\b/;

/** Speaker at the start of a line. */
const SPEAKER =
  /^(user|human|customer|client|caller|agent|assistant|ai|bot|system|support|operator|interviewer|interviewee|patient|doctor|q|a): /i;

/** Tells whether a text is a conversation of several speakers. */
function isConversation(text: string): boolean {
  if (!text.includes("\n") || !text.includes(": ")) return false;
  const lines = text.split("\n", 8).filter((line) => line.trim() !== "");
  const speakers = lines.flatMap((line) => SPEAKER.exec(line)?.[1]?.toLowerCase() ?? []);
  return new Set(speakers).size > 1 && speakers.length * 2 > lines.length;
}

function wordsOfText(text: string): string[] {
  return text
    .toLowerCase()
    .replaceAll("\u2019", "'")
    .split(NO_WORD)
    .filter((word) => word !== "");
}

/** Classifies a text that begins with an order, under any key: `Do not delete any mail` under `legal_hold`. */
function byOrder(text: string): Classification | undefined {
  const words = wordsOfText(text.slice(0, ORDER_BEGINS));
  const [first = ""] = words;
  if (WISHES.has(first)) return { layer: "CRITICAL", confidence: 0.5, why: `text begins with "${first}"` };
  for (let length = LONGEST_CUE; length > 0; length--) {
    const cue = words.slice(0, length).join(" ");
    const { layer, weight } = CUES.get(cue) ?? {};
    if (layer === "CRITICAL" && weight === SAYS_ALONE) return { layer, confidence: 0.5, why: `text begins with "${cue}"` };
  }
  return undefined;
}

/** Classifies a text in a script without spaces by its turns of phrase, at any position. */
function saysWide(text: string): Classification | undefined {
  if (!isWideText(text)) return undefined;
  for (const [layer, cues] of WIDE_CUES) {
    const cue = cues.find((each) => text.includes(each));
    if (cue !== undefined) return { layer, confidence: 0.5, why: `text says "${cue}"` };
  }
  return undefined;
}

/** Classifies a sentence under a meaningful key. Data consist of names and figures; a sentence is a statement that somebody made. */
function bySentence(value: JsonValue, text: string): Classification | undefined {
  if (typeof value !== "string" || value.length > LONGEST_SENTENCE || text.trim().includes("\n")) return undefined;
  if (isWideText(text)) return saysWide(text) ?? { layer: "IMPORTANT", confidence: 0.35, why: "a sentence" };
  const words = text.split(" ");
  const figures = words.filter((word) => DIGIT.test(word)).length;
  if (words.length < LEAST_OF_SENTENCE || figures * 2 > words.length) return undefined;
  const rule = STRICT.exec(text)?.[0] ?? saysDecided(text);
  return rule === undefined
    ? { layer: "IMPORTANT", confidence: 0.35, why: "a sentence" }
    : { layer: "CRITICAL", confidence: 0.4, why: `text says "${rule}"` };
}

/** Wording of prohibitions and demands, at any position in a sentence. */
const STRICT =
  /\b(?:must (?:not|never|always|stay|remain|keep|only)|shall (?:not|never)|may (?:never|only|\w+ only)|ha(?:s|ve) to (?:stay|remain|keep)|stay (?:within|below|under)|not allowed|forbidden|(?:nobody|no one)\b[^.;:]{0,60}\b(?:may|must)|under no circumstances|no exceptions)\b|[;,:.] (?:do not|don't|never) \w/i;

/** Returns the wording of a decision or promise, unless a word before it negates it. */
function saysDecided(text: string): string | undefined {
  const start = text.slice(0, ORDER_BEGINS);
  const said = DECIDED.exec(start);
  return said === null || UNDECIDED_YET.test(start.slice(0, said.index)) ? undefined : said[0];
}

const DECIDED =
  /\b(?:ha(?:s|ve) (?:decided|chosen|agreed|ruled)|we (?:decided|agreed|chose)|(?:was|were) (?:decided|agreed|promised)|entschieden|beschlossen|zugesagt|(?:a|ont|avons|été) décidé|décidons|(?:ha|han|hemos) decidido|decidi(?:ó|eron|mos)|acordaron|acordó)(?!\p{L})/iu;
const UNDECIDED_YET = /\b(?:whether|until|once|before|if|unless|nothing|nobody|no one|not|yet|nicht|nichts|ob|bis|pas|no|cuando)\b/i;

const SAYS_ALONE = 3;
/**
 * Characters read for the first words of a text, more than the longest cue and the words before it need. The rest of a long text
 * is not split.
 */
const ORDER_BEGINS = 200;

/** Factor for words at the start, where arguments, decisions and notes usually show their kind. */
const OPENING = 1.5;

/** Classifies by the words and turns of phrase of people and agents in one or two sentences. */
function byCues(words: readonly string[]): Classification | undefined {
  const scores = new Map<Layer, number>();
  let strongest = { weight: 0, cue: "" };
  let best: Layer | undefined;
  const opener = OPENERS.get(words[0] ?? "");
  if (opener !== undefined) {
    best = opener.layer;
    strongest = { weight: opener.weight, cue: words[0] ?? "" };
    scores.set(best, opener.weight);
  }
  for (let at = 0; at < words.length; at++) {
    for (let length = Math.min(LONGEST_CUES.get(words[at] ?? "") ?? 0, words.length - at); length > 0; length--) {
      const cue = words.slice(at, at + length).join(" ");
      const found = CUES.get(cue);
      if (found === undefined) continue;
      const weight = found.weight * (at < 2 ? OPENING : 1);
      const score = (scores.get(found.layer) ?? 0) + weight;
      scores.set(found.layer, score);
      if (best === undefined || score > (scores.get(best) ?? 0)) best = found.layer;
      if (weight > strongest.weight && found.layer === best) strongest = { weight, cue };
      // Words of a matched cue do not count again.
      at += length - 1;
      break;
    }
  }
  return best === undefined ? undefined : { layer: best, confidence: 0.55, why: `text says "${strongest.cue}"` };
}

/**
 * Classifies a single sentence in the past tense as IMPORTANT. A sentence about a past event, unlike one about a permanent state,
 * is a finding that somebody noted as news.
 */
function byTense(value: JsonValue, words: readonly string[]): Classification | undefined {
  if (typeof value !== "string" || words.length < LEAST_OF_SENTENCE || value.length > LONGEST_SENTENCE) return undefined;
  if (!/[.!]$/.test(value)) return undefined;
  const past = words.slice(0, -1).find((word) => PASTS.has(word) || (word.length > 4 && word.endsWith("ed")));
  return past === undefined ? undefined : { layer: "IMPORTANT", confidence: 0.35, why: `text is in the past tense: "${past}"` };
}

const LEAST_OF_SENTENCE = 5;
const LONGEST_SENTENCE = 200;
