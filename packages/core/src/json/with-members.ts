import { isJsonObject, type JsonValue } from "../model/context.ts";

/** The same list or object of what is made of each of its members, in their order; whatever has none is itself. */
export function withMembers(value: JsonValue, make: (member: JsonValue) => JsonValue): JsonValue {
  if (typeof value !== "object" || value === null) return value;
  // Not by assignment: `__proto__` is a key like any other.
  if (isJsonObject(value)) return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, make(member)]));
  return value.map((item) => make(item));
}
