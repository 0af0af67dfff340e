import { type Classification, isJsonObject, type JsonValue, type Layer, LAYERS, singularsOf } from "@workrail/core";
import { PASTS } from "./cues.ts";
import { isLog } from "./fleeting-shape.ts";
import { asPhrase, EPHEMERAL_HEAD, headPhrase, isOneOf, isPlural, roleOf, tidy } from "./find-head.ts";
import {
  isDated,
  isFigure,
  isLimit,
  isListOfObjects,
  isListOfTexts,
  isMaterial,
  isPointInTime,
  isRawMaterial,
  isRecord,
  isRich,
  isEvent,
  isSeries,
  isSmall,
  LONG_TEXT,
  looksTemporary,
  namesTime,
  saysLimit,
} from "./value-shape.ts";
import {
  ALONE,
  AUXILIARIES,
  BINDING,
  BINDING_UNTIL,
  BOUNDS,
  CLOCKS,
  COUNTS,
  DEMANDS,
  DOCUMENTS,
  DUE,
  EXTREMES,
  FLEETING,
  FOLLOWERS,
  LASTING,
  LATEST,
  LEFT,
  LOGS,
  LONG_UNITS,
  MADE_UP,
  MATERIAL,
  MEASURES,
  MODIFIERS,
  MOMENTS,
  OBLIGING,
  ORDERS,
  PLACES,
  PROMISED,
  RECORDED,
  STATISTICS,
  STEERING,
  SUBJECTS,
  TEMPORARY,
  TEMPORARY_PLACES,
  THOUGHTS,
  THROWAWAY,
  TIMED,
  TO_BE_GIVEN,
  UNDECIDED,
  UNITS,
  UNLIFTED,
  WEIGHED,
  WHEN_LISTED,
  WHEN_RICH,
  WORK,
  WORKED_ON,
} from "./vocabulary.ts";

/**
 * Returns the layer implied by the words of a key, or `undefined` without a hint. The head noun decides: the last word, except
 * for words after a preposition (`planForReview`) and participles after their noun (`filesRead`). The value counts only for
 * ambiguous words, for example a counter versus a list of the counted things.
 */
export function classifyWords(words: readonly string[], value: JsonValue): Classification | undefined {
  const told = withoutUnit(tidy(words));
  if (told[0] === "number" && told[1] === "of" && typeof value === "number") return keyWord("EPHEMERAL", 0.7, "number of");
  const phrase = headPhrase(told);
  const found =
    asAlone(told, value) ??
    asWorkLeft(phrase, value) ??
    asRate(told, value) ??
    asOrder(told) ??
    asBound(phrase, value) ??
    asPhrase(told, 0.95) ??
    asPhrase(withoutContainer(told), 0.9) ??
    asTime(told, value) ??
    asSwitch(told, value) ??
    asHead(phrase, value);
  const classified = asThought(told, value, found) ?? found;
  // `toolCalls: 12` is a count; `stayNights: 12` is a duration.
  const last = phrase.at(-1) ?? "";
  const isCount = classified?.layer === "USEFUL" && typeof value === "number" && /[^s]s$/.test(last) && !LONG_UNITS.has(last);
  if (isCount) return { layer: "EPHEMERAL", confidence: 0.6, why: "a count" };
  if (typeof value === "boolean" && isMoreThanSwitch(classified, told)) return { layer: "IMPORTANT", confidence: 0.5, why: "a switch" };
  // Raw material is not thinking, under any name.
  if (classified?.layer === "IMPORTANT" && (isRawMaterial(value) || isSeries(value)))
    return { layer: "USEFUL", confidence: 0.6, why: "code, markup or output" };
  return classified;
}

/** Classifies a key of one word whose meaning differs from the same word as a head: `conclusion`. */
function asAlone(words: readonly string[], value: JsonValue): Classification | undefined {
  const [word = ""] = words;
  const layer = words.length === 1 && typeof value !== "number" ? ALONE.get(word) : undefined;
  return layer === undefined ? undefined : keyWord(layer, 0.7, word);
}

/** Classifies the remaining work of a loop, `filesLeft: 12`, unlike `retriesLeft`. */
function asWorkLeft(words: readonly string[], value: JsonValue): Classification | undefined {
  const head = words.at(-1) ?? "";
  if (typeof value !== "number" || !/[^s]s$/.test(head) || LONG_UNITS.has(head)) return undefined;
  const left = words.slice(0, -1).find((word) => LEFT.has(word));
  return left === undefined || roleOf(head)?.[1] === EPHEMERAL_HEAD ? undefined : keyWord("IMPORTANT", 0.6, `${left} ${head}`);
}

/** Classifies a rate: `batchesPerSecond`. */
function asRate(words: readonly string[], value: JsonValue): Classification | undefined {
  const isRate =
    typeof value === "number" && words.at(-2) === "per" && isOneOf(MOMENTS, words.at(-1) ?? "") && !EXTREMES.has(words[0] ?? "");
  return isRate ? keyWord("EPHEMERAL", 0.7, `per ${words.at(-1)}`) : undefined;
}

/** Classifies sentences about a subject by the noun of thinking in front of it: `strategy.trial`, `findings_brakes`. */
function asThought(words: readonly string[], value: JsonValue, found: Classification | undefined): Classification | undefined {
  if (found !== undefined && found.layer !== "USEFUL" && found.layer !== "EPHEMERAL") return undefined;
  const [first = "", last = ""] = [words[0], words.at(-1)];
  if (words.length < 2 || words.length > 3 || !isOneOf(THOUGHTS, first)) return undefined;
  const role = roleOf(last);
  if (role !== undefined && (role[1].kind !== "head" || MATERIAL.has(role[0]))) return undefined;
  const isTold =
    typeof value === "string" ? isRich(value) && !isMaterial(value.slice(0, LONG_TEXT)) : isListOfTexts(value) && isRich(value);
  return isTold ? keyWord("IMPORTANT", 0.6, first) : undefined;
}

/**
 * Tells whether a boolean is a switch although its words have another layer: `needsUserInput: true` asks for something that is
 * stored elsewhere.
 */
function isMoreThanSwitch(classified: Classification | undefined, [first = ""]: readonly string[]): boolean {
  return classified?.layer === "USEFUL" || (classified?.layer === "CRITICAL" && AUXILIARIES.has(first));
}

/**
 * Drops a trailing unit: `weightLimitKg` is a limit, `deadline_utc` a deadline. A plural noun keeps its unit: `sales_eur` does
 * not count sales.
 */
function withoutUnit(words: readonly string[]): readonly string[] {
  const noun = words.at(-2) ?? "";
  const unit = words.at(-1) ?? "";
  const isUnit = UNITS.has(unit) || (LONG_UNITS.has(unit) && (noun === "period" || BOUNDS.has(noun)));
  const role = isUnit ? roleOf(noun) : undefined;
  return role === undefined || isPlural(noun, role[0]) ? words : words.slice(0, -1);
}

/** Drops a trailing container noun: `outOfScopeItems` are things out of scope. */
function withoutContainer(words: readonly string[]): readonly string[] {
  const last = words.length > 2 ? roleOf(words.at(-1) ?? "")?.[1] : undefined;
  return last?.kind === "container" ? words.slice(0, -1) : [];
}

/**
 * Classifies keys that begin with an order, `mustNotUseCloud` and `never_delete`, for any words that follow. Also classifies keys
 * that begin with `why`, `who` or `what`.
 */
function asOrder([first = "", second = "", ...rest]: readonly string[]): Classification | undefined {
  if (first === "why") return keyWord("IMPORTANT", 0.8, first);
  if (first === "who" && rest.length > 0) return keyWord("IMPORTANT", 0.6, `${first} ${second}`);
  if (first === "what" && second !== "") {
    const wanted = [second, ...rest].find((word) => singularsOf(word).some((form) => DEMANDS.has(form)));
    return wanted === undefined ? keyWord("IMPORTANT", 0.6, `${first} ${second}`) : keyWord("CRITICAL", 0.7, `${first} ... ${wanted}`);
  }
  const order = ORDERS.has(first) ? first : ORDERS.has(`${first} ${second}`) ? `${first} ${second}` : undefined;
  return order === undefined ? undefined : { layer: "CRITICAL", confidence: 0.85, why: `key word "${order}"` };
}

/**
 * Classifies the required or allowed value of a measure, unlike its measured value: `maxRetries`, `targetLatencyMs`,
 * `constraint_memory`.
 */
function asBound(words: readonly string[], value: JsonValue): Classification | undefined {
  const head = words.at(-1) ?? "";
  if (words.length < 2 || !(isFigure(value) || isLimit(value))) return undefined;
  // `maxPassengers`: the noun does not matter.
  const [first = ""] = words;
  if (EXTREMES.has(first)) return keyWord("CRITICAL", 0.75, `${first} ${head}`);
  if (!isOneOf(MEASURES, head)) return undefined;
  const before = words.slice(0, -1);
  const last = before.at(-1) ?? "";
  // `max` behind other words is a measured maximum: `latencyMaxMs`.
  const binding = before.find((each, at) => BINDING.has(each) || (at === 0 && EXTREMES.has(each)));
  const bound = binding ?? (isOneOf(BOUNDS, last) && !isOneOf(COUNTS, head) ? last : undefined);
  return bound === undefined ? undefined : keyWord("CRITICAL", 0.75, `${bound} ${head}`);
}

/** Classifies points in time: `createdAt`, `updatedOn`, `lastSaved`. `dueAt` lies in the future and is CRITICAL. */
function asTime(words: readonly string[], value: JsonValue): Classification | undefined {
  const [before = "", last = ""] = words.slice(-2);
  // `submitBy`, `responseDue` and `noLaterThan` with a point in time.
  if (words.length > 1 && LATEST.has(last) && isPointInTime(value)) return keyWord("CRITICAL", 0.8, last);
  // `deliverBy: "promised for 3 March, 12:00"`, unlike `writtenBy`.
  if (
    words.length === 2 &&
    LATEST.has(last) &&
    !/(?:e[dn]|wn)$/.test(before) &&
    !PASTS.has(before) &&
    !FOLLOWERS.has(before) &&
    namesTime(value)
  )
    return keyWord("CRITICAL", 0.6, `${before} ${last}`);
  const isTime =
    words.length > 1 &&
    (last === "at" ||
      last === "until" ||
      last === "since" ||
      (last === "on" && (TIMED.has(before) || BINDING_UNTIL.has(before))) ||
      ((before === "last" || before === "first") && TIMED.has(last)));
  // `lastGpsFix: "2026-03-04T10:00:00Z"`
  if (!isTime && words.length > 1 && words[0] === "last" && isDated(value)) return keyWord("EPHEMERAL", 0.7, words.join(" "));
  if (!isTime) return undefined;
  return { layer: BINDING_UNTIL.has(before) ? "CRITICAL" : "EPHEMERAL", confidence: 0.9, why: `key words "${before} ${last}"` };
}

/** Classifies a boolean that controls the next step as IMPORTANT, unless it concerns only the current moment. */
function asSwitch(words: readonly string[], value: JsonValue): Classification | undefined {
  if (typeof value !== "boolean") return undefined;
  const fleeting = words.find((word) => FLEETING.has(word));
  const about = roleOf(headPhrase(words).at(-1) ?? "")?.[1];
  if (about?.kind === "head" && about !== EPHEMERAL_HEAD && about.layer !== "USEFUL") return keyWord("IMPORTANT", 0.75, words.join(" "));
  if (fleeting !== undefined) return { layer: "EPHEMERAL", confidence: 0.8, why: `switch about "${fleeting}"` };
  if (isUnderWay(words)) return { layer: "EPHEMERAL", confidence: 0.7, why: "switch for present activity" };
  if (words.length > 1 && words.some((word) => word === "required" || word === "needed")) return keyWord("IMPORTANT", 0.8, words.join(" "));
  const [first = ""] = words;
  if (about === EPHEMERAL_HEAD || words.length < 2) return undefined;
  if (words.length > 1 && AUXILIARIES.has(first)) return { layer: "IMPORTANT", confidence: 0.8, why: `switch "${first} ..."` };
  return undefined;
}

/** Tells whether the words describe an activity in progress: `isUploading`, but not `isMissing`. */
function isUnderWay(words: readonly string[]): boolean {
  const last = words.at(-1) ?? "";
  return words.length > 1 && last.endsWith("ing") && !LASTING.has(last) && ["is", "are", "was", "were"].includes(words[0] ?? "");
}

function asHead(words: readonly string[], value: JsonValue): Classification | undefined {
  const head = words.at(-1) ?? "";
  const phrase = asPhrase(words, 0.9);
  if (phrase !== undefined) return phrase;
  const found = roleOf(head);
  if (found === undefined) return asUnknownHead(words, value);
  const [word, role] = found;
  const before = words.slice(0, -1);
  const temporary = asTemporaryPlace(word, before);
  if (temporary !== undefined) return temporary;
  if (role.kind === "aspect") return isRecordOf(word, before, value) ? keyWord("USEFUL", 0.7, `${word}, a record`) : asAspect(word, before);
  if (role.kind === "container" && isDocument(before.at(-1) ?? "", value)) return keyWord("USEFUL", 0.6, `${before.at(-1)}, a document`);
  if (role.kind === "container") return asContainer({ word, layer: role.layer }, before, value);
  return asNoun({ word, layer: role.layer }, words, value);
}

/** Classifies a path or file whose name says that it is temporary, for any purpose: `tempResultsFile`. */
function asTemporaryPlace(word: string, before: readonly string[]): Classification | undefined {
  const temporary = TEMPORARY_PLACES.has(word) ? before.find((each) => TEMPORARY.has(each)) : undefined;
  return temporary === undefined ? undefined : keyWord("EPHEMERAL", 0.85, `${temporary} ${word}`);
}

interface KnownWord {
  readonly word: string;
  readonly layer: Layer;
}

function asNoun({ word, layer }: KnownWord, words: readonly string[], value: JsonValue): Classification {
  const before = words.slice(0, -1);
  if (layer === "EPHEMERAL") {
    if (word === "id" && isOfDomain(before.at(-1) ?? "")) return keyWord("USEFUL", 0.6, words.slice(-2).join(" "));
    // `constraint_latency`: a demand on a measure.
    if (typeof value === "string" && (isEvent(value) || saysLimit(value)) && isSubject(words[0] ?? ""))
      return keyWord("CRITICAL", 0.6, `${words[0]} ${word}`);
    if (WHEN_LISTED.has(word) && typeof value === "object" && value !== null) return keyWord("USEFUL", 0.6, `${word}, listed`);
    // `oven_temp: 180`
    if (word === "temp" && before.length > 0 && !before.some(isFleeting) && typeof value === "number")
      return keyWord("USEFUL", 0.6, words.join(" "));
    const rich = WHEN_RICH.get(word);
    if (rich !== undefined && isEvent(value)) return keyWord(rich, 0.7, word);
    if (typeof value === "number" || rich === undefined) return keyWord(layer, 0.9, word);
    return keyWord(layer, 0.75, word);
  }
  const made = before.find((each) => MADE_UP.has(each));
  if (made !== undefined) return keyWord("USEFUL", 0.8, `${made} ${word}`);
  if (layer === "CRITICAL") return isDocument(word, value) ? keyWord("USEFUL", 0.6, `${word}, a document`) : asOrdered(word, words, value);
  if (isRecordOf(word, before, value)) return keyWord("USEFUL", 0.7, `${word}, a record`);
  // A plural with a number for its value counts: `filesProcessed: 12`.
  if (typeof value === "number" && isPlural(words.at(-1) ?? "", word)) return keyWord("EPHEMERAL", 0.7, `number of ${word}`);
  const decided = before.findLast((each) => MODIFIERS.CRITICAL.has(each));
  if (decided !== undefined && (OBLIGING.has(decided) || isDecidable(word, layer))) return keyWord("CRITICAL", 0.85, `${decided} ${word}`);
  if (layer === "USEFUL") {
    const steering = before.findLast((each) => STEERING.has(each) || (each === "current" && WORKED_ON.has(word)));
    if (steering !== undefined && isSmall(value)) return keyWord("IMPORTANT", 0.7, `${steering} ${word}`);
    if (isNamedBy(before, value) && !MATERIAL.has(word)) return keyWord("CRITICAL", 0.7, words.join(" "));
    // Containers are skipped: `debugInfoDump` is read like `debugDump`.
    const fleeting = before.findLast((each) => roleOf(each)?.[1].kind !== "container");
    if (fleeting !== undefined && (THROWAWAY.has(fleeting) || (typeof value === "number" && MODIFIERS.EPHEMERAL.has(fleeting))))
      return keyWord("EPHEMERAL", 0.75, `${fleeting} ${word}`);
  }
  return keyWord(layer, 0.9, word);
}

/** Tells whether a noun of thinking holds material: output under `observation`, or `flightOptions` with the fields of each flight. */
function isRecordOf(word: string, before: readonly string[], value: JsonValue): boolean {
  if (!RECORDED.has(word)) return false;
  return isRecord(value) || (isListOfObjects(value) && isOfDomain(before.at(-1) ?? ""));
}

/** Tells whether the value is a whole document: `leaseAgreement` with the full text instead of the agreed point. */
function isDocument(word: string, value: JsonValue): boolean {
  return DOCUMENTS.has(word) && typeof value === "string" && value.length > LONG_TEXT;
}

/** Classifies ordered work: `task` is the assignment; `tasks`, `nextTask` and `followUpTicket` are the progress of the work. */
function asOrdered(word: string, words: readonly string[], value: JsonValue): Classification {
  const isMany = isPlural(words.at(-1) ?? "", word);
  if (isMany && typeof value === "number" && (WORK.has(word) || word === "request")) return keyWord("EPHEMERAL", 0.6, `number of ${word}`);
  const before = words.slice(0, -1);
  const weighed = before.findLast((each) => WEIGHED.has(each));
  if (weighed !== undefined) return keyWord("IMPORTANT", 0.75, `${weighed} ${word}`);
  const undecided = before.findLast((each) => UNDECIDED.has(each));
  if (undecided !== undefined && TO_BE_GIVEN.has(word)) return keyWord("IMPORTANT", 0.8, `${undecided} ${word}`);
  const going = before.findLast((each) => MODIFIERS.IMPORTANT.has(each) || each === "followup" || each === "sub");
  if (WORK.has(word) && (going !== undefined || isMany)) return keyWord("IMPORTANT", 0.8, words.join(" "));
  return keyWord("CRITICAL", 0.9, word);
}

/** Nouns of the user's domain that also identify internal objects of a program. */
const OF_PROGRAMS: ReadonlySet<string> = new Set(["transaction", "thread", "call"]);

/** Tells whether the noun belongs to the user's domain: `patientId`, unlike `requestId`. */
function isOfDomain(word: string): boolean {
  const found = roleOf(word);
  return found?.[1].kind === "head" && found[1].layer === "USEFUL" && !MATERIAL.has(found[0]) && !OF_PROGRAMS.has(found[0]);
}

/** Tells whether a subject precedes the name of one of its instances: `preferences.language`, `invariant_balance`. */
function isNamedBy(before: readonly string[], value: JsonValue): boolean {
  const subject = roleOf(before.at(-1) ?? "")?.[0];
  if (subject === undefined || !SUBJECTS.has(subject)) return false;
  return isPlural(before.at(-1) ?? "", subject) || (typeof value === "string" && isRich(value));
}

/**
 * Tells whether a decision word turns the noun into a decision: `selectedApproach` does, `selectedFile` is a file, and a reason
 * for a decision stays a reason.
 */
function isDecidable(word: string, layer: Layer): boolean {
  if (layer === "IMPORTANT") return !UNLIFTED.has(word);
  return layer === "USEFUL" && !MATERIAL.has(word);
}

function asAspect(word: string, before: readonly string[]): Classification {
  const about = subjectOf(before);
  const decided = before.at(-1);
  if (decided !== undefined && MODIFIERS.CRITICAL.has(decided)) return keyWord("CRITICAL", 0.75, `${decided} ${word}`);
  if (about?.layer === "EPHEMERAL" || about?.layer === "USEFUL") return { ...about, confidence: 0.7 };
  return keyWord("IMPORTANT", about === undefined ? 0.7 : 0.8, word);
}

function asContainer({ word, layer }: KnownWord, before: readonly string[], value: JsonValue): Classification | undefined {
  const about = subjectOf(before);
  if (LOGS.has(word)) {
    // A log of decisions counts as decisions; a log of events is output.
    if (about?.layer === "IMPORTANT" && typeof value === "string" && isLog(value)) return keyWord("EPHEMERAL", 0.7, word);
    if (about?.layer === "CRITICAL" || about?.layer === "IMPORTANT") return about;
    return keyWord("EPHEMERAL", 0.85, word);
  }
  if (PLACES.has(word)) {
    // `chosenPath: "design_first"`
    if (about?.layer === "CRITICAL" && typeof value === "string" && !/[/\\.]/.test(value)) return about;
    return looksTemporary(value) || about?.layer === "EPHEMERAL" ? keyWord("EPHEMERAL", 0.8, word) : keyWord("USEFUL", 0.6, word);
  }
  if (CLOCKS.has(word)) {
    const promised = before.find((each) => PROMISED.has(each));
    if (promised !== undefined && isPointInTime(value)) return keyWord("CRITICAL", 0.75, `${promised} ${word}`);
    const isDone = about !== undefined && about.layer !== "USEFUL" && isDated(value) && !before.some((each) => isOneOf(DUE, each));
    const isClock = about?.layer === "EPHEMERAL" || isDone || (word === "time" && typeof value === "number");
    return isClock ? keyWord("EPHEMERAL", 0.8, word) : (about ?? keyWord("USEFUL", 0.5, word));
  }
  if (about !== undefined)
    return isRecordOf(before.at(-1) ?? "", before.slice(0, -1), value) ? keyWord("USEFUL", 0.7, `${word}, a record`) : about;
  // Statistics are about the program when no other word is given, otherwise about the user's domain.
  if (STATISTICS.has(word)) return keyWord(before.length === 0 ? "EPHEMERAL" : "USEFUL", 0.6, word);
  if (before.length === 0) return undefined;
  return keyWord(layer, 0.5, word);
}

/** Classifies the words before a container: by the last one as a noun, else by the nearest modifier, else by the phrase at their end. */
function subjectOf(words: readonly string[]): Classification | undefined {
  if (words.length === 0) return undefined;
  const phrase = asPhrase(words, 0.85);
  if (phrase !== undefined) return phrase;
  const last = words.at(-1) ?? "";
  const found = roleOf(last);
  const decided = words.findLast((each) => MODIFIERS.CRITICAL.has(each));
  if (found === undefined) return asModified(words) ?? undefined;
  const [word, role] = found;
  if (role.kind === "container") return subjectOf(words.slice(0, -1)) ?? asModified(words);
  if (role.kind === "aspect") return keyWord("IMPORTANT", 0.7, word);
  if (decided !== undefined && isDecidable(word, role.layer)) return keyWord("CRITICAL", 0.8, `${decided} ${word}`);
  return keyWord(role.layer, 0.8, word);
}

function asUnknownHead(words: readonly string[], value: JsonValue): Classification | undefined {
  const modified = asModified(words);
  if (modified !== undefined) {
    const isMore = modified.layer === "IMPORTANT" && !isSmall(value);
    return isMore ? { ...modified, layer: "USEFUL", confidence: 0.5 } : modified;
  }
  // `requirementsFunctional`: an adjective behind its noun.
  const [noun = "", behind = ""] = words.slice(-2);
  if (words.length > 1 && ADJECTIVE.test(behind) && roleOf(noun)?.[1].kind === "head")
    return asHead([behind, ...words.slice(0, -1)], value);
  // `noSubstitutions`: a prohibition.
  if (words[0] === "no" && words.length > 1 && isListOfTexts(value)) return keyWord("CRITICAL", 0.6, "no ...");
  // `rssBytes`: a figure about something ephemeral.
  const measured = typeof value === "number" ? roleOf(words.at(-2) ?? "") : undefined;
  if (measured?.[1] === EPHEMERAL_HEAD) return keyWord("EPHEMERAL", 0.6, measured[0]);
  // `requirement_export`, `constraint-memory`: a subject as prefix, then a name.
  const [subject = ""] = words;
  // `limits.hard`, and `requirement_export` with a text.
  if (typeof value === "string" ? !isRich(value) : !isJsonObject(value) || !isPlural(subject, roleOf(subject)?.[0] ?? "")) return undefined;
  return isSubject(subject) ? keyWord("CRITICAL", 0.6, subject) : undefined;
}

const ADJECTIVE = /..(?:al|ive|ary|able|ible|ic|ous|less|ful|elle|ico|ica|ivo|iva)s?$/;

function isSubject(word: string): boolean {
  return SUBJECTS.has(roleOf(word)?.[0] ?? "");
}

/** Classifies by the modifier nearest to the head. The modifier may be the head itself: `pending`. */
function asModified(words: readonly string[]): Classification | undefined {
  for (const word of words.toReversed()) {
    const layer = singularsOf(word).some(isFleeting)
      ? "EPHEMERAL"
      : (LAYERS.find((each) => MODIFIERS[each].has(word)) ?? asAimedOrUndone(word));
    if (layer !== undefined) return keyWord(layer, 0.7, word);
  }
  return undefined;
}

/** Classifies aims, `targetReturn`, and work not yet done: `unverified`, `unexplained`. */
function asAimedOrUndone(word: string): Layer | undefined {
  if (word === "target") return "CRITICAL";
  return word.startsWith("un") && word.endsWith("ed") && word.length > 7 ? "IMPORTANT" : undefined;
}

function isFleeting(word: string): boolean {
  return MODIFIERS.EPHEMERAL.has(word);
}

function keyWord(layer: Layer, confidence: number, word: string): Classification {
  return { layer, confidence, why: `key word "${word}"` };
}
