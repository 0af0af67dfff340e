import { isJsonObject, type JsonObject, type JsonValue } from "@workrail/core";
import { parseData } from "./outline-data.ts";

/**
 * Rewrites JSON text with fewer tokens, but still readable: without white space and unnecessary quotes, which are expensive in
 * nested JSON. Objects with the same keys in a list become rows.
 *
 * @returns `undefined` for text that is no JSON.
 */
export function compactJson(text: string): string | undefined {
  const value = parseData(text);
  if (value === undefined) return undefined;
  const bare = withoutBlanks(text);
  // Only removes white space when parsing loses information: numbers beyond a double, duplicate keys and the like.
  const short = sameText(JSON.stringify(value), bare) ? writeTop(value) : bare;
  return short.length < bare.length ? short : bare;
}

/**
 * Removes white space between tokens of JSON text. Scans strings by hand, because a backtracking expression needs memory per
 * character.
 */
function withoutBlanks(text: string): string {
  const pieces: string[] = [];
  for (let begin = 0; begin < text.length;) {
    const quote = text.indexOf('"', begin);
    const end = quote < 0 ? text.length : quote;
    pieces.push(text.slice(begin, end).replaceAll(/\s+/gu, ""));
    begin = quote < 0 ? text.length : endOfString(text, quote);
    pieces.push(text.slice(end, begin));
  }
  return pieces.join("");
}

/** Returns the index after the closing quote of the string that starts here. */
function endOfString(text: string, begin: number): number {
  for (let end = text.indexOf('"', begin + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text[end - 1 - escapes] === "\\") escapes += 1;
    if (escapes % 2 === 0) return end + 1;
  }
  return text.length;
}

/** Compares two JSON texts, treating different escapes of a character as equal. */
function sameText(written: string, bare: string): boolean {
  return (
    written === bare ||
    written === bare.replaceAll(/\\u([0-9a-f]{4})/giu, (escape, code: string) => unescaped(escape, code)).replaceAll("\\/", "/")
  );
}

function unescaped(escape: string, code: string): string {
  const unit = Number.parseInt(code, 16);
  return unit > 0x7e && (unit & 0xf800) !== 0xd800 ? String.fromCharCode(unit) : escape;
}

/** Writes one line per member, so that repeated lines can be recognised. */
function writeTop(value: JsonValue): string {
  return isJsonObject(value) ? writeMembers(value).join("\n") : write(value);
}

function write(value: JsonValue): string {
  if (typeof value === "string") return writeString(value);
  if (Array.isArray(value)) return writeArray(value);
  return isJsonObject(value) ? `{${writeMembers(value).join(", ")}}` : JSON.stringify(value);
}

function writeMembers(value: JsonObject): string[] {
  return Object.entries(value).map(([key, member]) => `${writeString(key)}: ${write(withoutName(member, key))}`);
}

/** Drops members that repeat the key under which the value stands. */
export function withoutName(value: JsonValue, name: string): JsonValue {
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value);
  const others = entries.filter(([, member]) => member !== name);
  return others.length === entries.length || others.length === 0 ? value : Object.fromEntries(others);
}

/** Writes a list. Objects with the same keys become rows with a common header: `[each id, name: 1, Ann; 2, Bob]`. */
function writeArray(value: readonly JsonValue[]): string {
  const columns = value.length > 1 ? columnsOf(value) : undefined;
  if (columns === undefined) return `[${value.map((item) => write(item)).join(", ")}]`;
  return `[each ${headOf(columns)}: ${value.map((row) => writeRow(row, columns)).join("; ")}]`;
}

interface Column {
  readonly key: string;
  /** Present when the member itself is an object with the same keys in each row. */
  readonly columns: readonly Column[] | undefined;
}

function columnsOf(rows: readonly JsonValue[]): Column[] | undefined {
  const [first] = rows;
  if (!isJsonObject(first) || !rows.every((row) => isJsonObject(row))) return undefined;
  const keys = Object.keys(first);
  const head = JSON.stringify(keys);
  if (keys.length === 0 || rows.some((row) => JSON.stringify(Object.keys(row)) !== head)) return undefined;
  return keys.map((key) => ({ key, columns: columnsOf(rows.map((row) => row[key] ?? null)) }));
}

function headOf(columns: readonly Column[]): string {
  return columns
    .map(({ key, columns: below }) => (below === undefined ? writeString(key) : `${writeString(key)} (${headOf(below)})`))
    .join(", ");
}

function writeRow(row: JsonValue, columns: readonly Column[]): string {
  return columns
    .map(({ key, columns: below }) => {
      const member = isJsonObject(row) ? (row[key] ?? null) : null;
      return below === undefined ? write(member) : `(${writeRow(member, below)})`;
    })
    .join(", ");
}

/** Quotes a text only when it would be mistaken for something else, such as a number. */
function writeString(text: string): string {
  const isPlain =
    text !== "" &&
    text.trim() === text &&
    !/[,;{}[\]"\\\p{Cc}]|: |:$/u.test(text) &&
    !/^(?:true|false|null|each .*)$/u.test(text) &&
    !NUMBER.test(text);
  return isPlain ? text : JSON.stringify(text);
}

/** Numbers as JSON writes them: `02134` can only be a text. */
const NUMBER = /^-?(?:0|[1-9]\d{0,30})(?:\.\d{1,30})?(?:[eE][+-]?\d{1,5})?$/u;
