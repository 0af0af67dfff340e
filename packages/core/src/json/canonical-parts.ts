import { canonicalJson } from "./canonical-json.ts";
import { parseJson } from "./parse-json.ts";
import { textParts } from "./text-parts.ts";
import { QUOTE, COMMA, BRACKET, BACKSLASH, END_BRACKET, BRACE, END_BRACE } from "./signs.ts";

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

/** Returns the index after the closing quote of the string that starts here. */
export function endOfText(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); ; quote = text.indexOf('"', quote + 1)) {
    let before = quote;
    while (text.charCodeAt(before - 1) === BACKSLASH) before -= 1;
    if ((quote - before) % 2 === 0) return quote + 1;
  }
}
