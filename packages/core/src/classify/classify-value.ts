import { isJsonObject, type JsonValue } from "../model/context.ts";
import type { Layer } from "../model/layer.ts";
import type { Classification } from "./classification.ts";
import { wordsOf } from "./key-words.ts";
import { classifyWords } from "./classify-key.ts";
import { firstKeys, firstMembers, looksTemporary, sampleText } from "./value-shape.ts";

/*
 * What a value says by itself, for keys that say nothing. Expressions here are read over at most a page of text and have
 * no nested repetitions, so that no text makes them slow.
 */

/** Characters from which a text is more likely material than a note. */
const LONG_TEXT = 700;

/** By the shape and words of a value; `undefined` when they tell nothing. `isOpaque`: the key told nothing whatever. */
export function classifyValue(value: JsonValue, isOpaque: boolean): Classification | undefined {
  return byShape(value) ?? (isOpaque ? byMembers(value) : undefined) ?? byText(value, isOpaque);
}

const INSTANT = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}/;
const HTTP_DATE = /^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*, \d{1,2} \w{3} \d{4} \d{2}:\d{2}/i;
const CLOCK = /^\d{1,2}:\d{2}(?::\d{2})?(?:\.\d+)?$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const HEX = /^(?:0x|sha\d+[:-]|md5[:-])?(?=[a-f]*\d)[0-9a-f]{7,}$/i;
const ULID = /^(?=[A-Z]*\d)[0-9A-HJKMNP-TV-Z]{26}$/;
const OPAQUE_TOKEN = /^(?=\S*\d)(?=\S*[a-z])(?=\S*[A-Z])[\w+/=-]{16,}$/;
const MEASURE = /^\d+(?:\.\d+)?\s?(?:ms|s|sec|secs|seconds|min|minutes|h|hours|%|kb|mb|gb|kib|mib|gib|bytes|fps)$/i;
const COUNTED =
  /^(?:\d+\s*(?:\/|of)\s*\d+|(?:attempt|try|retry|iteration|page|step|loop|pass|round|run|tick)\s*#?\d+(?:\s*(?:\/|of)\s*\d+)?)$/i;

function byShape(value: JsonValue): Classification | undefined {
  if (typeof value === "number") return isInstant(value) ? fleeting("a point in time") : undefined;
  if (typeof value !== "string" || value.length > 200) return undefined;
  const text = value.trim();
  if (INSTANT.test(text) && text.length < 40) return fleeting("a point in time");
  if (HTTP_DATE.test(text) || CLOCK.test(text)) return fleeting("a point in time");
  if (UUID.test(text) || HEX.test(text) || ULID.test(text) || OPAQUE_TOKEN.test(text)) return fleeting("an identifier");
  if (MEASURE.test(text)) return fleeting("a measure");
  if (COUNTED.test(text)) return fleeting("a counter");
  if (looksTemporary(text) && !text.includes(" ")) return fleeting("a temporary path");
  return undefined;
}

/** Seconds or milliseconds since 1970, from 2001 to 2096: no other number is likely to fall there. */
function isInstant(value: number): boolean {
  return Number.isFinite(value) && ((value >= 1e9 && value < 4e9) || (value >= 1e12 && value < 4e12));
}

function fleeting(what: string): Classification {
  return { layer: "EPHEMERAL", confidence: 0.7, why: `looks like ${what}` };
}

/** An object is what its members are: the most that any of the first is, except that fleeting ones are outvoted. */
function byMembers(value: JsonValue): Classification | undefined {
  if (isMessages(value)) return { layer: "USEFUL", confidence: 0.8, why: "messages" };
  if (!isJsonObject(value)) return undefined;
  const told = firstKeys(value).flatMap((key) => classifyWords(wordsOf(key), value[key] ?? null) ?? []);
  const counted = (layer: Layer): number => told.filter((each) => each.layer === layer).length;
  const important = told.find((each) => each.layer === "CRITICAL") ?? told.find((each) => each.layer === "IMPORTANT");
  if (important !== undefined && counted(important.layer) * 2 >= told.length)
    return { ...important, confidence: 0.6, why: `holds ${important.why}` };
  const ephemeral = told.find((each) => each.layer === "EPHEMERAL");
  if (ephemeral !== undefined && counted("EPHEMERAL") === firstKeys(value).length)
    return { ...ephemeral, confidence: 0.6, why: `holds ${ephemeral.why}` };
  return undefined;
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
  if (isMaterial(text)) return { layer: "USEFUL", confidence: 0.7, why: "code, markup or output" };
  if (typeof value === "string" && value.length > LONG_TEXT) return { layer: "USEFUL", confidence: 0.6, why: "long text" };
  if (!isOpaque) return undefined;
  return byCues(text);
}

const LOG_LINE = /^(?:\[?\d{4}-\d{2}-\d{2}[T ])?\[?\d{1,2}:\d{2}:\d{2}[^\n]{0,20}\s|^\[?(?:debug|trace|info|warn|verbose)\]?[:\s-]/i;
const LOG_WORD = /\b(?:DEBUG|TRACE|INFO|WARN(?:ING)?|VERBOSE)\b|\b(?:heartbeat|pid[ =]\d|tick \d|took \d+ ?ms|cache (?:hit|miss))/;

function isLog(text: string): boolean {
  const lines = text.split("\n", 6).filter((line) => line.trim() !== "");
  const logged = lines.filter((line) => LOG_LINE.test(line) || LOG_WORD.test(line.slice(0, 60)));
  return logged.length > 0 && logged.length * 2 > lines.length;
}

const MARKUP = /^\s*(?:<[a-z!?/][^\n]{0,200}>|[[{]\s*(?:"|\{|\[|\d|\})|---\n|#!\/|diff --git|@@ |[+-]{3} [ab]\/|```)/i;
const CODE =
  /(?:^|\n)\s*(?:import |from \S+ import|export |const |let |var |function |def |class |return |if \(|for \(|while \(|public |private |#include|package |SELECT |INSERT |CREATE |\$ |>>> |at \S+ \(|File ")/;
const CODE_SIGNS = /[{}();=<>[\]|\\]/g;
const TRACE = /Traceback \(most recent|\n\s+at .+:\d+|Exit(?:ed)? (?:code|status)|\d+ (?:passed|failed)|Process finished/;

/** Whether a text is written for machines, or by them. */
function isMaterial(text: string): boolean {
  if (MARKUP.test(text) || TRACE.test(text)) return true;
  const signs = (text.match(CODE_SIGNS) ?? []).length / text.length;
  return signs > 0.06 || (signs > 0.015 && CODE.test(text)) || (text.match(/\n/g) ?? []).length > 12;
}

/** Words and turns of phrase with their weight, for what people and agents write in a sentence or two. */
const CUES: readonly (readonly [Layer, number, RegExp])[] = [
  [
    "CRITICAL",
    3,
    /^\W*(?:(?:the )?(?:user|customer|client|owner|team|boss|manager|stakeholders?) (?:\w+ ){0,2}(?:wants?|asked|asks|needs?|requires?|requested|prefers?|said|insists?|expects?|demands?|must|told)\b)/i,
  ],
  [
    "CRITICAL",
    3,
    /^\W*(?:goal|objective|requirement|decision|decided|constraint|acceptance|must|never|always|do not|don't|rule|verdict|final answer|success|hard limit|deadline|non-?goal|instruction|preference)\b/i,
  ],
  [
    "CRITICAL",
    3,
    /\b(?:must(?: not)?|shall(?: not)?|never|mandatory|forbidden|not allowed|is required|are required|required to|prohibited|non-negotiable|under no circumstances)\b/i,
  ],
  [
    "CRITICAL",
    3,
    /\b(?:we |i |they |team |it was |was |been |have |has )(?:have |has |finally |all |both )?(?:decided|agreed|chose|chosen|settled on|approved|selected|picked|committed to|signed off)\b/i,
  ],
  [
    "CRITICAL",
    2,
    /\b(?:decided|decision|agreed|acceptance criteri|user wants|wants? (?:to|the|a|us)|asked (?:for|to|us|that|me)|goal is|objective is|the goal|requirement|constraint|deadline|at most|at least|no more than|no later than|only if|has to|have to|needs? to|prefers?|insists?|please)\b/i,
  ],
  [
    "CRITICAL",
    2,
    /\b(?:do not|don't|without (?:breaking|losing|downtime|touching|changing)|by (?:friday|monday|tuesday|wednesday|thursday|the end of|march|april|may|june|july|august|september|october|november|december|january|february))\b/i,
  ],
  ["CRITICAL", 1, /\b(?:should|limit|budget|comply|compliance|gdpr|only|keep|ensure|instead of)\b/i],
  [
    "IMPORTANT",
    3,
    /^\W*(?:next(?: step)?|plan|step \d|first|todo|to do|hypothesis|finding|risk|open question|question|root cause|analysis|observation|because|since|i think|we think|it seems|it looks|likely|maybe|perhaps|so far|remaining|done|summary|conclusion|idea|option|assumption|lesson|insight|blocked|progress|current(?:ly)?|status)\b/i,
  ],
  [
    "IMPORTANT",
    3,
    /\b(?:because|therefore|hence|which means|suggests? that|indicates?|suspect|hypothesis|root cause|probably|likely|turns out|appears to|seems to|might be|could be|trade-?offs?|caused by|due to|explains why|conclude)\b/i,
  ],
  [
    "IMPORTANT",
    2,
    /\b(?:then|next|remaining|todo|risk|risky|open question|analysis|finding|found that|noticed|observed|plan|step|phase|strategy|approach|blocked|waiting for|depends on|investigate|verify|consider|compared|so far|tried|let me|let's|i will|i'll|we should|should we|unclear|unknown|leak|grows|fails when|fails if|fails because)\b/i,
  ],
  ["IMPORTANT", 1, /\?\s*$/],
  [
    "EPHEMERAL",
    3,
    /\b(?:temporary|scratch|debug(?:ging)? only|throwaway|ignore this|can be deleted|loading|spinner|heartbeat|retrying|attempt \d|cache (?:hit|miss|key)|polling)\b/i,
  ],
  ["USEFUL", 2, /\b(?:for example|e\.g\.|see also|according to|documentation|chapter|copyright|readme|version \d|https?:\/\/)/i],
];

function byCues(text: string): Classification | undefined {
  const scores = new Map<Layer, number>();
  let cue = "";
  let best: Layer | undefined;
  for (const [layer, weight, expression] of CUES) {
    const found = expression.exec(text)?.[0];
    if (found === undefined) continue;
    const score = (scores.get(layer) ?? 0) + weight;
    scores.set(layer, score);
    if (best !== undefined && score <= (scores.get(best) ?? 0) && layer !== best) continue;
    if (best !== layer) cue = found.trim().toLowerCase();
    best = layer;
  }
  return best === undefined ? undefined : { layer: best, confidence: 0.55, why: `text says "${cue.slice(-40)}"` };
}
