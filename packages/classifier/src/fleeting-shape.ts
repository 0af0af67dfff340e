import type { Classification, JsonValue } from "@workrail/core";
import { isHour, looksTemporary } from "./value-shape.ts";

const LONGEST_COUNT = 80;
const DIGIT = /\d/;
const INSTANT = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const HTTP_DATE = /^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*, \d{1,2} [a-z]{3} \d{4} \d{2}:\d{2}/;
const CLOCK = /^\d{1,2}:\d{2}(?::\d{2})?(?:\.\d+)?$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const HEX = /^0x[0-9a-f]{4,}$|^(?:sha\d+[:-]|md5[:-])?(?=[a-f]*\d)[0-9a-f]{7,}$/;
const ULID = /^(?=[A-Z]*\d)[0-9A-HJKMNP-TV-Z]{26}$/;
const OPAQUE_TOKEN = /^(?=\S*\d)(?=\S*[a-z])(?=\S*[A-Z])[\w+/=-]{16,}$/;
const MEASURE =
  /^\d+(?:\.\d+)?\s?(?:ms|s|sec|secs|seconds|m|min|minutes|h|hours|%|kb|mb|gb|kib|mib|gib|bytes|fps)(?: ?\d+(?:\.\d+)?\s?(?:ms|s|sec|secs|seconds|m|min|minutes))?$/;
/** Identifiers with a prefix for the kind of object: `req_01HZX8QKJ3M9`, `session-8f2a9c1b`. The rest mixes digits and letters. */
const PREFIXED_ID = /^[a-z]{1,12}[_-](?=[a-z]*\d)(?=\d*[a-z])[0-9a-z]{5,}$/;
/** `processing... 3 of 12`, `Uploading (45%)`. */
const HOW_FAR = /^[a-z]+ing\b[\s.:…(-]*\d+(?:\.\d+)?\s?(?:%|(?:\/|of)\s?\d+)/;
const COUNTED =
  /^(?:\d+\s*(?:\/|of)\s*\d+|(?:attempt|try|retry|iteration|page|step|loop|pass|round|run|tick)\s*#?\d+(?:\s*(?:\/|of)\s*\d+)?)$/;

/** `batch 14 of 90 processed`, `Uploaded 3 of 12 files (25%)`, `retry 2/5 in 800 ms`. */
const TICKED_OFF =
  /^(?:[a-z]+ed |[a-z]+ing )?(?:(?:attempt|try|retry|iteration|page|step|loop|pass|round|run|tick|batch|chunk|part|segment|frame|file|item|row|record|request|epoch|job|task) )?#?\d+ ?(?:\/|of) ?\d+(?: (?:[a-z]+s|[a-z]+ed|done|complete|left)){0,2}(?: (?:in )?\(?\d+(?:\.\d+)? ?(?:%|ms|s)\)?)?[.!]*$/;

/** Recognises values that only programs write: points in time, identifiers, temporary paths, measures, counters. */
export function byShape(value: JsonValue, isOpaque: boolean): Classification | undefined {
  if (typeof value === "number") return isInstant(value) ? fleeting("a point in time") : undefined;
  if (typeof value !== "string" || value.length > 200) return undefined;
  const text = value.trim();
  const small = text.toLowerCase();
  if (isOpaque && DATE.test(text)) return fleeting("a point in time");
  if (!isOpaque && isHour(text)) return undefined;
  return (text.includes(" ") ? undefined : byOneWord(text, small)) ?? byFigures(text, small);
}

function byOneWord(text: string, small: string): Classification | undefined {
  if (looksTemporary(text)) return fleeting("a temporary path");
  // Words of natural language are shorter or have no digits.
  if (text.length < 7 || !DIGIT.test(text)) return undefined;
  const isIdentifier = UUID.test(small) || HEX.test(small) || ULID.test(text) || OPAQUE_TOKEN.test(text) || PREFIXED_ID.test(small);
  return isIdentifier ? fleeting("an identifier") : undefined;
}

/** Measures and counters begin with a digit, or are short and contain one. */
function byFigures(text: string, small: string): Classification | undefined {
  if (isDigit(text.charCodeAt(0))) {
    if (CLOCK.test(text) || (text.length < 40 && INSTANT.test(text))) return fleeting("a point in time");
    if (MEASURE.test(small)) return fleeting("a measure");
  }
  if (text.length >= LONGEST_COUNT || !DIGIT.test(text)) return undefined;
  if (HTTP_DATE.test(small)) return fleeting("a point in time");
  return COUNTED.test(small) || HOW_FAR.test(small) || TICKED_OFF.test(small) ? fleeting("a counter") : undefined;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** Tells whether the number is a Unix time in seconds or milliseconds, from 2001 to 2096. Other numbers are rarely in that range. */
function isInstant(value: number): boolean {
  return Number.isFinite(value) && ((value >= 1e9 && value < 4e9) || (value >= 1e12 && value < 4e12));
}

function fleeting(what: string): Classification {
  return { layer: "EPHEMERAL", confidence: 0.7, why: `looks like ${what}` };
}

const LOG_LINE =
  /^(?:\[?\d{4}-\d{2}-\d{2}[t ])?\[?\d{1,2}:\d{2}:\d{2}[^\n]{0,20}\s|^\[?(?:debug|trace|info|warn|verbose)\]?[:\s-]|\blevel=[a-z]+ /;
const LOG_WORD = /\b(?:DEBUG|TRACE|INFO|WARN(?:ING)?|VERBOSE)\b|\b(?:heartbeat|pid[ =]\d|tick \d|took \d+ ?ms|cache (?:hit|miss))/;

/** Tells whether most lines of a text are log lines. */
export function isLog(text: string): boolean {
  const lines = text.split("\n", 6).filter((line) => line.trim() !== "");
  const logged = lines.map((line) => line.slice(0, 60)).filter((start) => isLogLike(start));
  return logged.length > 0 && logged.length * 2 > lines.length;
}

/**
 * Checks cheap conditions before the regular expressions: most sentences have no digits, brackets or capitals in the places where
 * a log line has them.
 */
function isLogLike(start: string): boolean {
  const first = start.charCodeAt(0);
  const mayBeLine =
    isDigit(first) || LOG_STARTS.includes(start.charAt(0).toLowerCase()) || start.includes("evel=") || start.includes("EVEL=");
  if (mayBeLine && LOG_LINE.test(start.toLowerCase())) return true;
  return LOG_WORD.test(start) || (REQUEST_STARTS.includes(start.charAt(0)) && ANSWERED_REQUEST.test(start));
}

const LOG_STARTS = "[dtiwv";
/** `GET /v1/orders 200 31ms` */
const ANSWERED_REQUEST = /^(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) \S+ (?:HTTP\/\S+ )?[1-5]\d\d\b/;
const REQUEST_STARTS = "GPDHO";
