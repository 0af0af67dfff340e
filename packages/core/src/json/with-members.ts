import { isJsonObject, type JsonValue } from "../model/context.ts";

/** Maps the members of a list or an object, in order. Returns other values unchanged. Drops members that are `undefined`. */
export function withMembers(value: JsonValue, make: (member: JsonValue) => JsonValue): JsonValue {
  if (typeof value !== "object" || value === null) return value;
  // No assignment, because `__proto__` must be an ordinary key.
  if (isJsonObject(value)) {
    const members = Object.entries<JsonValue | undefined>(value);
    return Object.fromEntries(members.flatMap(([key, member]) => (member === undefined ? [] : [[key, make(member)]])));
  }
  return value.map((item) => make(item));
}

/** Copies a value of bounded depth. Texts and numbers are shared. Drops members that are `undefined`. */
export function copyOf(value: JsonValue): JsonValue {
  return withMembers(value, copyOf);
}
