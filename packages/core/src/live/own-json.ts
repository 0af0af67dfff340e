import { withMembers } from "../json/with-members.ts";
import type { JsonValue } from "../model/context.ts";

/** Copies that were made here; nobody else can have changed them, so they are not copied again. */
const own = new WeakSet<object>();

/**
 * A copy of a JSON value that nobody can change: neither whoever gave the value, nor whoever is given the copy. Parts of
 * earlier copies are taken as they are. Check the value first: its depth must be bounded.
 */
export function ownJson(value: JsonValue): JsonValue {
  if (typeof value !== "object" || value === null || own.has(value)) return value;
  const copy = Object.freeze(withMembers(value, ownJson)) as object & JsonValue;
  own.add(copy);
  return copy;
}
