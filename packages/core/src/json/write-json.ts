import { isJsonObject, type JsonValue } from "../model/context.ts";
import { encodeUtf8Into, SHORT_TEXT, textParts } from "./utf8.ts";
import { BRACE, BRACKET, COMMA, END_BRACE, END_BRACKET, endOfText, parseJson, QUOTE } from "./parse-json.ts";

/**
 * Writes canonical JSON (RFC 8785, JCS): no white space, members sorted by their keys' UTF-16 code units, numbers and strings as
 * ECMAScript writes them. Extends the RFC, which refuses lone surrogates: a lone surrogate becomes its escape (`\ud800`), as in
 * `JSON.stringify`.
 *
 * The value must have passed `checkJson`: its depth limit bounds the recursion. The same holds for the functions below.
 */
export function canonicalJson(value: JsonValue): string {
  let json = "";
  write(value, (text) => {
    json += text;
  });
  return json;
}

/**
 * Returns the UTF-8 of the canonical JSON. Faster than encoding its text, because engines join many short texts slowly.
 *
 * @param length bytes of the value's JSON, which are as many in any order of the keys.
 */
export function canonicalUtf8(value: JsonValue, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let written = 0;
  let texts = "";
  const encode = (text: string): void => {
    texts += text;
    if (text !== "" && texts.length < ENCODED_AT_ONCE) return;
    written += encodeUtf8Into(texts, bytes.subarray(written));
    texts = "";
  };
  write(value, encode);
  encode("");
  return bytes;
}

const ENCODED_AT_ONCE = 2 * 1024;

/** Calls `add` with the texts of the canonical JSON, in order. */
function write(value: JsonValue, add: (text: string) => void): void {
  if (typeof value !== "object" || value === null) return add(JSON.stringify(value));
  if (!isJsonObject(value)) {
    add("[");
    for (let index = 0; index < value.length; index++) {
      if (index > 0) add(",");
      write(value[index] as JsonValue, add);
    }
    return add("]");
  }
  let before = "{";
  const keys = Object.keys(value);
  // `sort` compares UTF-16 code units, including integer-like keys. An object could not hold those in that order.
  for (const key of keys.sort()) {
    add(`${before}${JSON.stringify(key)}:`);
    write(value[key] as JsonValue, add);
    before = ",";
  }
  add(before === "{" ? "{}" : "}");
}

/** Largest value, in characters, that is read and written in one go. */
const AT_ONCE = 64 * 1024;
/** Number of quotes and brackets to pass between two yields. */
const STRETCH = 50_000;

/**
 * Yields the canonical JSON of a value in parts, from the JSON text that `JSON.stringify` made. The value may have changed since,
 * and the result need not be in memory as a whole. Some parts are empty: they only give other work a turn.
 *
 * @param atOnce larger values are split.
 */
export function* canonicalParts(text: string, atOnce: number = AT_ONCE): Generator<string> {
  const first = text.charAt(0);
  if (text.length <= atOnce) yield canonicalJson(parseJson(text));
  else if (first === "{") yield* members(text, atOnce);
  else if (first === "[") yield* items(text, atOnce);
  else yield* textParts(text, atOnce);
}

function* members(text: string, atOnce: number): Generator<string> {
  const found: { readonly key: string; readonly from: number; readonly to: number }[] = [];
  for (let at = 1; at < text.length - 1;) {
    const colon = endOfText(text, at);
    const to = yield* endOfValue(text, colon + 1);
    found.push({ key: JSON.parse(text.slice(at, colon)) as string, from: colon + 1, to });
    at = to + 1;
  }
  yield "{";
  found.sort((one, other) => (one.key < other.key ? -1 : 1));
  for (const [index, { key, from, to }] of found.entries()) {
    yield `${index === 0 ? "" : ","}${JSON.stringify(key)}:`;
    yield* canonicalParts(text.slice(from, to), atOnce);
  }
  yield "}";
}

/** Combines small items up to `atOnce`. */
function* items(text: string, atOnce: number): Generator<string> {
  let separator = "[";
  const end = text.length - 1;
  let from = 1;
  for (let at = from; at < end;) {
    const to = yield* endOfValue(text, at);
    const isLarge = to - at > atOnce;
    if (from < at && (isLarge || to - from > atOnce)) {
      yield separator + itemsAtOnce(text.slice(from, at - 1));
      separator = ",";
      from = at;
    }
    if (isLarge) {
      yield separator;
      yield* canonicalParts(text.slice(at, to), atOnce);
      separator = ",";
      from = to + 1;
    }
    at = to + 1;
  }
  yield from < end ? separator + itemsAtOnce(text.slice(from, end)) : separator === "[" ? separator : "";
  yield "]";
}

function itemsAtOnce(text: string): string {
  return canonicalJson(parseJson(`[${text}]`)).slice(1, -1);
}

/** Returns the index after the value that starts here, in a text without white space. */
function* endOfValue(text: string, start: number): Generator<"", number> {
  let depth = 0;
  let passed = 0;
  for (let at = start; ; passed++) {
    if (passed === STRETCH) {
      passed = 0;
      yield "";
    }
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfText(text, at);
    else if (code === BRACE || code === BRACKET) {
      depth += 1;
      at += 1;
    } else if (code === END_BRACE || code === END_BRACKET) {
      if (depth === 0) return at;
      depth -= 1;
      at += 1;
    } else if (depth === 0 && (code === COMMA || at >= text.length)) return at;
    else at += 1;
    if (depth === 0 && at > start && !isInScalar(text.charCodeAt(at))) return at;
  }
}

/** True when a number or a literal can continue with this character. */
function isInScalar(code: number): boolean {
  return code !== COMMA && code !== END_BRACE && code !== END_BRACKET && !Number.isNaN(code);
}

/**
 * JSON text of a value, in parts. A single large text would be in memory twice while it is built, and take longer to build than
 * its parts.
 */
export type WrittenJson =
  | string
  | { readonly kind: "object"; readonly members: readonly { readonly key: string; readonly value: WrittenJson }[] }
  | {
      readonly kind: "array";
      /** JSON arrays of consecutive items. */
      readonly runs: readonly string[];
    };

/** Values nested deeper are written in one go. */
const LEVELS = 4;
/** Approximate size of a run of array items in characters, and its largest number of items. */
const RUN_CHARACTERS: number = SHORT_TEXT;
const RUN_ITEMS = 1_000;

/** Writes a value that passed `checkJson`, like `JSON.stringify`. */
export function writeJson(value: JsonValue, levels: number = LEVELS): WrittenJson {
  if (levels === 0 || typeof value !== "object" || value === null) return JSON.stringify(value);
  if (!isJsonObject(value)) return { kind: "array", runs: [...runsOf(value)] };
  return { kind: "object", members: Object.entries(value).map(([key, member]) => ({ key, value: writeJson(member, levels - 1) })) };
}

/** Chooses the length of each run from the size of the previous one. */
function* runsOf(items: readonly JsonValue[]): Generator<string> {
  for (let from = 0, count = 1; from < items.length;) {
    const text = JSON.stringify(items.slice(from, from + count));
    yield text;
    from += count;
    count = Math.max(1, Math.min(RUN_ITEMS, Math.floor((count * RUN_CHARACTERS) / text.length)));
  }
}

/** Yields the text in parts. */
export function* writtenTexts(json: WrittenJson): Generator<string> {
  if (typeof json === "string") yield json;
  else if (json.kind === "object") {
    for (const [index, { key, value }] of json.members.entries()) {
      yield `${index === 0 ? "{" : ","}${JSON.stringify(key)}:`;
      yield* writtenTexts(value);
    }
    yield json.members.length === 0 ? "{}" : "}";
  } else {
    for (const [index, run] of json.runs.entries()) {
      yield index === 0 ? "[" : ",";
      yield run.slice(1, -1);
    }
    yield json.runs.length === 0 ? "[]" : "]";
  }
}

/** Yields the canonical JSON in parts. Some parts are empty: they only give other work a turn. */
export function* canonicalTexts(json: WrittenJson): Generator<string> {
  if (typeof json === "string") yield* canonicalParts(json);
  else if (json.kind === "object") {
    yield "{";
    const sorted = json.members.toSorted((one, other) => (one.key < other.key ? -1 : 1));
    for (const [index, { key, value }] of sorted.entries()) {
      yield `${index === 0 ? "" : ","}${JSON.stringify(key)}:`;
      yield* canonicalTexts(value);
    }
    yield "}";
  } else {
    yield "[";
    for (const [index, run] of json.runs.entries()) {
      if (index > 0) yield ",";
      yield* withinBrackets(canonicalParts(run));
    }
    yield "]";
  }
}

/** Drops the first and the last character. */
function* withinBrackets(parts: Iterable<string>): Generator<string> {
  let isFirst = true;
  let held = "";
  for (const part of parts) {
    if (part === "") {
      yield "";
      continue;
    }
    yield held;
    held = isFirst ? part.slice(1) : part;
    isFirst = false;
  }
  yield held.slice(0, -1);
}
