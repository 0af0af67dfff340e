import { isJsonObject, type JsonValue } from "../model/context.ts";
import { compactJson } from "./compact-json.ts";
import { parseData } from "./outline-data.ts";
import { shortLinks } from "./short-links.ts";
import { reduceText, SaidBefore } from "./reduce-text.ts";

/**
 * The same value with its texts in fewer tokens: nearly lossless, and enough for what is a little too long. Keys,
 * numbers and the shape of the value stay. Reducing twice gives what reducing once gives.
 */
export function reduceValue(value: JsonValue): JsonValue {
  return reduce(value, (text, before) => reduceText(shortJson(text), before), new SaidBefore());
}

/** The same, but for JSON texts, which are left as they are for whoever takes them apart. */
export function reduceLines(value: JsonValue): JsonValue {
  return reduce(value, (text, before) => (isData(text) ? text : reduceText(text, before)), new SaidBefore());
}

type Reduce = (text: string, before: SaidBefore) => string;

function reduce(value: JsonValue, how: Reduce, before: SaidBefore): JsonValue {
  if (typeof value === "string") return how(value, before);
  if (Array.isArray(value)) return shortLinks(value).map((item: JsonValue) => reduce(item, how, before));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, reduce(member, how, before)]));
}

function shortJson(text: string): string {
  return compactJson(text) ?? text;
}

function isData(text: string): boolean {
  return parseData(text) !== undefined;
}
