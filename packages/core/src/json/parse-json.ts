import { isJsonObject, type JsonObject, type JsonValue } from "../model/context.ts";

/** Characters of JSON syntax. Their UTF-8 bytes equal their UTF-16 codes. */
export const LINE_FEED: number = 0x0a;
export const SPACE: number = 0x20;
export const QUOTE: number = 0x22;
export const COMMA: number = 0x2c;
export const COLON: number = 0x3a;
export const BRACKET: number = 0x5b;
export const BACKSLASH: number = 0x5c;
export const END_BRACKET: number = 0x5d;
export const BRACE: number = 0x7b;
export const END_BRACE: number = 0x7d;

/**
 * Parses JSON and reads every key exactly as it is written.
 *
 * V8 12.8 to at least 14.6 (Node 24 to 26) misreads keys with escapes, such as `"\n"`, after an object of the same shape had a
 * key that looks like their source, such as a single backslash: https://github.com/nodejs/node/issues/63785. A store must return
 * exactly what was saved. Therefore such keys, which are rare, are read under names without escapes and renamed, on every engine: a test
 * for the bug proves nothing, because the bug is hidden once a program has made some thousands of shapes.
 *
 * @throws SyntaxError as `JSON.parse` does.
 */
export function parseJson(text: string): JsonValue {
  if (!hasEscapeInKey(text)) return JSON.parse(text) as JsonValue;
  return renamed(JSON.parse(withMarkedKeys(text)) as JsonValue);
}

/** Looks only at texts with a backslash, because engines find one character fast. A key is a text with a colon after its closing quote. */
function hasEscapeInKey(text: string): boolean {
  for (let escape = text.indexOf("\\"), end = 0; escape >= 0; escape = text.indexOf("\\", end)) {
    end = endOfText(text, escape + 1);
    // Without a closing quote it is no JSON.
    if (end === 0) return false;
    if (isColonNext(text, end)) return true;
  }
  return false;
}

function isColonNext(text: string, from: number): boolean {
  let next = from;
  while (text.charCodeAt(next) <= SPACE) next += 1;
  return text.charCodeAt(next) === COLON;
}

/** Prefix of the substitutes for characters that a key without escapes cannot hold, and for itself. */
const MARK = "@";

/** Replaces keys by ones without escapes. A regular expression would exhaust the stack on a text of some million characters. */
function withMarkedKeys(text: string): string {
  let marked = "";
  let from = 0;
  for (let quote = text.indexOf(`"`), end = 0; quote >= 0; quote = text.indexOf(`"`, end)) {
    end = endOfText(text, quote);
    // Without a closing quote it is no JSON.
    if (end === 0) break;
    if (!isColonNext(text, end)) continue;
    const key = text.slice(quote + 1, end - 1);
    marked += `${text.slice(from, quote)}"${key.replaceAll(MARK, "@m").replaceAll("\\", "@b").replaceAll(`"`, "@q")}"`;
    from = end;
  }
  return marked + text.slice(from);
}

/** Iterative, because the caller decides how deep a value may be. */
function renamed(value: JsonValue): JsonValue {
  const root = { value };
  const pending: Record<string, JsonValue>[] = [root];
  for (let holder = pending.pop(); holder !== undefined; holder = pending.pop()) {
    for (const [key, member] of Object.entries(holder)) {
      if (typeof member !== "object" || member === null) continue;
      const named = isJsonObject(member) ? withOriginalKeys(member) : member;
      holder[key] = named;
      pending.push(named as Record<string, JsonValue>);
    }
  }
  return root.value;
}

function withOriginalKeys(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, member]) => [key.includes(MARK) ? originalOf(key) : key, member]));
}

function originalOf(key: string): string {
  const source = key.replaceAll(/@[mbq]/g, (marked) => (marked === "@m" ? MARK : marked === "@b" ? "\\" : `"`));
  return JSON.parse(`"${source}"`) as string;
}

/** No integer with fewer digits exceeds 2^53. */
const CANDIDATE = /[[:,\s]-?[0-9]{16}/;
/** Matches integers only. Fractions are excluded: digits beyond the precision of a double were not measured. */
const INTEGER = /(?<![0-9.eE+-])-?[0-9]{16,}(?![0-9.eE])/g;

/**
 * Returns the integers of a JSON text that JavaScript changes when it reads them, because doubles have 53 bits:
 * `9007199254740993` becomes `9007199254740992`. Examples are identifiers and nanosecond timestamps written by programs with
 * 64-bit integers.
 *
 * @param text valid JSON.
 * @returns the digits as written, each once, in order.
 */
export function roundedIntegers(text: string): string[] {
  if (!CANDIDATE.test(text)) return [];
  const found = new Set<string>();
  for (let from = 0; from < text.length;) {
    const quote = text.indexOf('"', from);
    const to = quote < 0 ? text.length : quote;
    for (const [digits] of text.slice(from, to).matchAll(INTEGER)) if (isRounded(digits)) found.add(digits);
    from = quote < 0 ? to : endOfText(text, quote);
  }
  return [...found];
}

function isRounded(digits: string): boolean {
  const read = Number(digits);
  return Number.isFinite(read) && BigInt(read) !== BigInt(digits);
}

/** Returns the index after the closing quote of the string that starts here; 0 without one. */
export function endOfText(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); ; quote = text.indexOf('"', quote + 1)) {
    let before = quote;
    while (text.charCodeAt(before - 1) === BACKSLASH) before -= 1;
    if ((quote - before) % 2 === 0) return quote + 1;
  }
}
