import { withMembers } from "./with-members.ts";
import type { JsonValue } from "../model/context.ts";

/** Frozen copies made here. Nobody can change them, so they are not copied again. */
const own = new WeakSet<object>();

/**
 * Returns a frozen copy of a JSON value, independent of the caller. Reuses parts of earlier copies. The value's depth must have
 * been checked.
 */
export function ownJson(value: JsonValue): JsonValue {
  if (typeof value !== "object" || value === null || own.has(value)) return value;
  const copy = Object.freeze(withMembers(value, ownJson)) as object & JsonValue;
  own.add(copy);
  return copy;
}
