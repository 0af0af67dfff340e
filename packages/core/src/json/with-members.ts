import { isJsonObject, type JsonValue } from "../model/context.ts";

/** The same list or object of what is made of each of its members, in their order; whatever has none is itself. Drops members that are `undefined`. */
export function withMembers(value: JsonValue, make: (member: JsonValue) => JsonValue): JsonValue {
  if (typeof value !== "object" || value === null) return value;
  // Not by assignment: `__proto__` is a key like any other.
  if (isJsonObject(value)) {
    const members = Object.entries<JsonValue | undefined>(value);
    return Object.fromEntries(members.flatMap(([key, member]) => (member === undefined ? [] : [[key, make(member)]])));
  }
  return value.map((item) => make(item));
}

/** A copy down to texts and numbers, of a value whose depth is bounded. Drops members that are `undefined`. */
export function copyOf(value: JsonValue): JsonValue {
  return withMembers(value, copyOf);
}
