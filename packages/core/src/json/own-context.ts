import { type Context, isJsonObject, type JsonValue } from "../model/context.ts";
import type { Limits } from "../model/limits.ts";
import { checkContext } from "./prepare-context.ts";

/**
 * A context as it is now: what its owner does to it afterwards makes no difference. Texts are shared, so that one of many megabytes
 * takes little more room.
 *
 * @throws as `prepareContext`, unless that finds the context too large.
 */
export function ownContext(given: unknown, limits: Limits): Context {
  return copyOf(checkContext(given, limits).context) as Context;
}

/** Its depth is bounded. */
function copyOf(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map((item: JsonValue) => copyOf(item));
  if (!isJsonObject(value)) return value;
  const copy: { [key: string]: JsonValue } = {};
  for (const key of Object.keys(value)) set(copy, key, copyOf(value[key] as JsonValue));
  return copy;
}

/** `__proto__` is a key like any other, and would be none by assignment. */
function set(copy: { [key: string]: JsonValue }, key: string, value: JsonValue): void {
  if (key === "__proto__") Object.defineProperty(copy, key, { value, enumerable: true, writable: true, configurable: true });
  else copy[key] = value;
}
