import { isJsonObject, type JsonValue } from "@workrail/core";

/**
 * Limits for the characters of a text and the members of a list or object that are read. A value of a megabyte costs as much as a
 * page.
 */
const MAX_TEXT = 1_200;
const MAX_MEMBERS = 8;
/** Minimum characters of a text that is more likely material than a note. */
export const LONG_TEXT = 700;
/** Maximum characters of a text that can be a note, a step or a name. */
const SMALL_TEXT = 240;

/** Returns the beginning of the words in a value: of a text, the texts of a list, or the members of an object. */
export function sampleText(value: JsonValue, room: number = MAX_TEXT, depth = 3): string {
  if (typeof value === "string") return value.slice(0, room);
  if (typeof value !== "object" || value === null || depth === 0) return "";
  let text = "";
  for (const member of firstMembers(value)) {
    if (text.length >= room) break;
    const more = sampleText(member, room - text.length, depth - 1);
    if (more !== "") text += `${more}\n`;
  }
  return text;
}

/** Returns the first members of a list or object without reading the rest. */
export function firstMembers(value: JsonValue): readonly JsonValue[] {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).slice(0, MAX_MEMBERS);
  return isJsonObject(value) ? firstKeys(value).flatMap((key) => value[key] ?? []) : [];
}

export function firstKeys(value: { readonly [key: string]: JsonValue }): string[] {
  const keys: string[] = [];
  for (const key in value) {
    if (keys.length === MAX_MEMBERS) break;
    if (Object.hasOwn(value, key)) keys.push(key);
  }
  return keys;
}

/** Tells whether a value carries more information than a number or a name. */
export function isRich(value: JsonValue): boolean {
  if (typeof value === "string") return isWideText(value) || (value.length > 30 && /[^\s\d]\s+[^\s\d]/.test(value.slice(0, SMALL_TEXT)));
  return firstMembers(value).some((member) => typeof member === "object" || (typeof member === "string" && member.length > 12));
}

/** Tells whether a text has a phrase in a script without spaces. */
export function isWideText(text: string): boolean {
  return WIDE_TEXT.test(text.slice(0, SMALL_TEXT));
}

const WIDE_TEXT = /[\u3040-\u9fff]{6,}/;

/** Tells whether a value describes an event instead of only a degree of progress: `four rooms painted, two to go`. */
export function isEvent(value: JsonValue): boolean {
  if (isRich(value)) return true;
  return typeof value === "string" && !/\d/.test(value) && (value.match(/[A-Za-z]{2,}/g)?.length ?? 0) >= WORDS_OF_A_SENTENCE;
}

const WORDS_OF_A_SENTENCE = 4;

/** Tells whether the value is a number, or a short text such as `2 GB` or `ten at most` that is not a date. */
export function isFigure(value: JsonValue): boolean {
  return typeof value === "number" || (typeof value === "string" && value.length < LONGEST_FIGURE && !isDated(value));
}

const LONGEST_FIGURE = 60;

/** Tells whether the value is an object with a permitted amount: `{ limit: 120, hard: true }`. */
export function isLimit(value: JsonValue): boolean {
  if (!isJsonObject(value) || !firstKeys(value).some((key) => FIELDS_OF_LIMIT.has(key))) return false;
  const members = firstMembers(value);
  return members.some((member) => typeof member === "number") && members.every((member) => typeof member !== "object");
}

const FIELDS_OF_LIMIT: ReadonlySet<string> = new Set(["limit", "hard", "soft", "value", "amount", "unit"]);

/** Tells whether a text names a day or a time of day. */
export function namesTime(value: JsonValue): boolean {
  return typeof value === "string" && NAMED_TIME.test(value.slice(0, SMALL_TEXT));
}

const NAMED_TIME = /\b\d{1,2}:\d{2}\b|\b\d{4}-\d{2}-\d{2}\b|\b\d{1,2}\.? \p{L}{3,9} \d{4}\b/u;

export function isDated(value: JsonValue): boolean {
  return typeof value === "string" && DATED.test(value);
}

/** Tells whether the value is a date, a time of day, or both. */
export function isPointInTime(value: JsonValue): boolean {
  return isDated(value) || (typeof value === "string" && isHour(value));
}

/** Tells whether the text is a time of day written by a person: `18:40`. Programs add the seconds. */
export function isHour(text: string): boolean {
  return HOUR.test(text);
}

const HOUR = /^\d{1,2}:\d{2}$/;
const DATED = /^\d{4}-\d{2}-\d{2}(?:[T ][\d:.]+(?:Z|[+-]\d{2}:?\d{2})?)?$/;

/** Tells whether the value is a list of measurements or a table of figures. A list of whole numbers may name steps instead. */
export function isSeries(value: JsonValue): boolean {
  const members = Array.isArray(value) ? firstMembers(value) : [];
  const isTable = members.every((each) => Array.isArray(each) && firstMembers(each).every((cell) => typeof cell === "number"));
  const isMeasured = members.every((each) => typeof each === "number") && members.some((each) => !Number.isInteger(each));
  return members.length > 1 && (isTable || isMeasured);
}

/** Tells whether a text sets a limit for a measure: `under 200 ms`. */
export function saysLimit(text: string): boolean {
  return LIMIT.test(text.slice(0, SMALL_TEXT).toLowerCase());
}

const LIMIT = /\b(?:under|over|below|above|within|than|up to|at|max|min|only|must|limit|needs?|should)\b/;

/** Tells whether the value is a flag, a number, a short text or a list of those. Such values are more likely state than material. */
export function isSmall(value: JsonValue): boolean {
  if (typeof value === "string") return value.length <= SMALL_TEXT && !value.includes("\n");
  if (typeof value !== "object" || value === null) return true;
  return firstMembers(value).every((member) => (typeof member !== "object" || member === null) && isSmall(member));
}

const TEMPORARY_PLACE =
  /^(?:[a-z]:)?[\\/](?:private[\\/])?(?:tmp|temp|var[\\/](?:tmp|folders|run)|dev|run|proc)(?:[\\/]|$)|[\\/](?:temp|tmp|\.cache|cache|scratch)[\\/]|\.(?:tmp|temp|swp|lock|pid|sock)$/;

/** Tells whether a text is a path to a temporary directory or file. */
export function looksTemporary(value: JsonValue): boolean {
  if (typeof value !== "string" || value.length >= 400) return false;
  return (value.includes("/") || value.includes("\\") || value.includes(".")) && TEMPORARY_PLACE.test(value.toLowerCase());
}

const MARKUP = /^\s*(?:<[A-Za-z!?/][^\n]{0,200}>|[[{]\s*(?:"|\{|\[|\d|\})|---\n|\$ \w|#!\/|diff --git|@@ |[+-]{3} [ab]\/|```)/;
const CODE =
  /(?:^|\n)\s*(?:import |from \S+ import|export |const |let |var |function |def |class |return |if \(|for \(|while \(|public |private |#include|package |SELECT |INSERT |CREATE |\$ |>>> |at \S+ \(|File ")/;
/** Signs of code. Brackets count only directly after a name, since prose puts a space before them. */
const CODE_SIGNS = /[{};=<>[\]|\\]|\w\(|\)(?=[;,.)\]}])/g;
const TRACE = /Traceback \(most recent|\n\s+at .+:\d+|Exit(?:ed)? (?:code|status)|\d+ (?:passed|failed)(?=[^\w ]|$| in )|Process finished/;
/** Words of which a trace contains at least one; checked before the expression. */
const TRACE_WORDS = ["(most", "at ", "Exit", "passed", "failed", "finished"];
/** First characters of markup; other texts are not checked. */
const MARKUP_STARTS = "<[{-#@+`$d";

/** Tells whether a text is written for or by machines. */
export function isMaterial(text: string): boolean {
  if (MARKUP_STARTS.includes(text.trimStart().charAt(0)) && MARKUP.test(text)) return true;
  if (TRACE_WORDS.some((word) => text.includes(word)) && TRACE.test(text)) return true;
  const signs = (text.match(CODE_SIGNS) ?? []).length / text.length;
  return signs > 0.06 || (signs > 0.015 && CODE.test(text)) || text.split("\n", MOST_LINES + 2).length > MOST_LINES + 1;
}

/** Maximum line feeds of a page of prose. Text with more is written for machines. */
const MOST_LINES = 12;

/** Minimum characters of a text in code or markup that is an excerpt instead of a mention. */
const EXCERPT = 250;

/** Tells whether a value is a longer text written for or by machines. */
export function isRawMaterial(value: JsonValue): boolean {
  return typeof value === "string" && value.length >= EXCERPT && value.includes("\n") && isMaterial(value.slice(0, MAX_TEXT));
}

const COMMAND = /^(?:[a-z]+_[a-z_]+(?:\s|\(|$)|\S*\$ \S|(?:ls|cd|cat|grep|find|git|npm|python3?|sed|curl|open|edit|search) \S*[./_-]\S*$)/;
const RECORD_FIELDS = ["role", "action", "observation", "tool", "command", "arguments", "price", "cost"];

/** Tells whether a value records actions, output or offers: messages, calls, commands, priced things. */
export function isRecord(value: JsonValue): boolean {
  if (typeof value === "string")
    return COMMAND.test(value.slice(0, SMALL_TEXT)) || (value.includes("\n") && isMaterial(value.slice(0, MAX_TEXT)));
  if (isJsonObject(value)) return isVersions(firstMembers(value));
  return isListOfObjects(value) && firstMembers(value).every((each) => RECORD_FIELDS.some((field) => Object.hasOwn(Object(each), field)));
}

/** Tells whether the members are the version ranges of a manifest's dependencies. */
function isVersions(members: readonly JsonValue[]): boolean {
  return members.length > 0 && members.every((each) => typeof each === "string" && VERSION.test(each));
}

const VERSION = /^(?:[\^~=<>]{1,2} ?|workspace:)?(?:\d+\.(?:\d+|x)|\*)/;

export function isListOfObjects(value: JsonValue): boolean {
  const members = Array.isArray(value) ? firstMembers(value) : [];
  return members.length > 0 && members.every(isJsonObject);
}

export function isListOfTexts(value: JsonValue): boolean {
  const members = Array.isArray(value) ? firstMembers(value) : [];
  return members.length > 0 && members.every((each) => typeof each === "string");
}
