import { isJsonObject, type JsonValue } from "../model/context.ts";

const LONGEST_NAME = 60;

/** Shortens a key or a place for an error message: hostile keys must not inflate a message. */
export function clipName(name: string): string {
  return name.length <= LONGEST_NAME ? name : `${name.slice(0, LONGEST_NAME)}...`;
}

/** Shortens a name and quotes it as JSON. */
export function quoted(name: string): string {
  return JSON.stringify(clipName(name));
}

/** Shorter replaced texts are not reported. */
const LONG_TEXT = 200;

/** Returns the type of a value for a sentence. */
export function kindOf(value: JsonValue): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (isJsonObject(value)) return "an object";
  return typeof value === "string" ? "a text" : `a ${typeof value}`;
}

/** Describes how the size of a value changed: `5 items -> 2`. `undefined` when the old value had little content. */
export function sizeChange(from: JsonValue, to: JsonValue): string | undefined {
  const [count, unit] = measure(from);
  const least = typeof from === "string" ? LONG_TEXT : 1;
  if (unit === undefined || count < least) return undefined;
  const [newCount, newUnit] = measure(to);
  return `${tell(count, unit)} -> ${newUnit === unit ? newCount : newUnit === undefined ? kindOf(to) : tell(newCount, newUnit)}`;
}

function measure(value: JsonValue): readonly [count: number, unit: string | undefined] {
  if (typeof value === "string") return [value.length, "character"];
  if (Array.isArray(value)) return [value.length, "item"];
  return isJsonObject(value) ? [Object.keys(value).length, "key"] : [0, undefined];
}

function tell(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}
