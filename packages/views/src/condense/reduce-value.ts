import { atOnce, isJsonObject, type JsonValue, type Steps } from "@workrail/core";
import { compactJson } from "./compact-json.ts";
import { parseData } from "./outline-data.ts";
import { shortLinks } from "./short-links.ts";
import { reduceText, SaidBefore } from "./reduce-text.ts";

/**
 * Shortens the texts of a value with nearly no loss, for values that are slightly too long. Keys, numbers and the structure stay.
 * Idempotent.
 */
export function reduceValue(value: JsonValue): JsonValue {
  return atOnce(reduceSteps(value));
}

/** Works like `reduceValue`, and yields to other work between texts. */
export function reduceSteps(value: JsonValue): Steps<JsonValue> {
  return reduce(value, (text, before) => reduceText(shortJson(text), before), new SaidBefore());
}

/** Works like `reduceSteps`, but leaves JSON texts unchanged for callers that parse them. */
export function reduceLinesSteps(value: JsonValue): Steps<JsonValue> {
  return reduce(value, (text, before) => (isData(text) ? text : reduceText(text, before)), new SaidBefore());
}

type Reduce = (text: string, before: SaidBefore) => string;

function* reduce(value: JsonValue, reduceOf: Reduce, before: SaidBefore): Steps<JsonValue> {
  if (typeof value === "string") {
    yield;
    return reduceOf(value, before);
  }
  if (Array.isArray(value)) {
    const items: JsonValue[] = [];
    for (const item of shortLinks(value)) items.push(isLeaf(item) ? item : yield* reduce(item, reduceOf, before));
    return items;
  }
  if (!isJsonObject(value)) return value;
  const members: [string, JsonValue][] = [];
  for (const [key, member] of Object.entries(value)) members.push([key, isLeaf(member) ? member : yield* reduce(member, reduceOf, before)]);
  return Object.fromEntries(members);
}

/** True for a value without texts. */
function isLeaf(value: JsonValue): boolean {
  return typeof value !== "string" && (typeof value !== "object" || value === null);
}

function shortJson(text: string): string {
  return compactJson(text) ?? text;
}

function isData(text: string): boolean {
  return parseData(text) !== undefined;
}
