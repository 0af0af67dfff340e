import { isJsonObject, type JsonObject, type JsonValue } from "../model/context.ts";
import { SPACE, COLON, BACKSLASH } from "./signs.ts";

/**
 * `JSON.parse` that reads every key as it is written.
 *
 * V8 12.8 to at least 14.6 (Node 24 to 26) misreads keys with escapes, such as `"\n"`, once an object of the same shape
 * had a key that looks like their source, such as a single backslash: https://github.com/nodejs/node/issues/63785.
 * A store that promises to give back what was saved cannot live with that. So where the engine has the fault and a text
 * has such keys, they are read under names without escapes, and renamed.
 *
 * @throws SyntaxError as `JSON.parse` does.
 */
export function parseJson(text: string): JsonValue {
  if (!IS_AFFECTED || !hasEscapeInKey(text)) return JSON.parse(text) as JsonValue;
  return renamed(JSON.parse(text.replaceAll(TEXT_OR_KEY, withoutEscapes)) as JsonValue);
}

/** Whether this engine has the fault: one text leads it astray, another shows it. Nothing else has objects of that shape. */
const IS_AFFECTED = ((): boolean => {
  const shape = "is this engine affected?";
  JSON.parse(JSON.stringify({ [shape]: 0, "\\": 0 }));
  const read = JSON.parse(JSON.stringify({ [shape]: 0, "\n": 0 })) as object;
  return !Object.hasOwn(read, "\n");
})();

/**
 * From quote to quote, because engines find one character fast: a key is a text with a colon behind its last quote. Where
 * a text begins with a colon its first quote is taken for one too, which costs time and nothing else.
 */
function hasEscapeInKey(text: string): boolean {
  if (!text.includes("\\")) return false;
  for (let quote = text.indexOf(`"`); quote >= 0; quote = text.indexOf(`"`, quote + 1)) {
    if (isBeforeColon(text, quote) && endsTextWithEscape(text, quote)) return true;
  }
  return false;
}

function isBeforeColon(text: string, quote: number): boolean {
  let next = quote + 1;
  while (text.charCodeAt(next) <= SPACE) next += 1;
  return text.charCodeAt(next) === COLON;
}

/** Never for a quote that is escaped itself: it ends no text. */
function endsTextWithEscape(text: string, quote: number): boolean {
  let before = quote;
  while (text.charCodeAt(before - 1) === BACKSLASH) before -= 1;
  if (before < quote) return (quote - before) % 2 === 0;
  // The quote found may be within the text, and is then an escape.
  const begin = text.lastIndexOf(`"`, quote - 1);
  return text.slice(Math.max(0, begin - 1), quote).includes("\\");
}

/** A whole text; with a colon behind it, it is a key. */
const TEXT_OR_KEY = /"((?:[^"\\]|\\.)*)"(\s*:)?/gs;

/** With a letter behind it, stands for what a key without escapes cannot hold, or for itself. */
const MARK = "@";

function withoutEscapes(token: string, source: string, colon: string | undefined): string {
  if (colon === undefined) return token;
  return `"${source.replaceAll(MARK, "@m").replaceAll("\\", "@b").replaceAll(`"`, "@q")}"${colon}`;
}

/** Without recursion, for whoever reads it decides how deep a value may be. */
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
