import { invalidInput } from "../errors.ts";
import type { Limits } from "../model/limits.ts";
import { isJsonObject, type JsonValue } from "../model/context.ts";

export interface JsonCheck {
  /** True when all keys are in canonical order, so that the plain JSON is the canonical JSON. */
  readonly isCanonical: boolean;
  /** Lower bound of the length of its JSON: the characters of texts, keys and separators. */
  readonly characters: number;
  /** True when a member of an object is `undefined`: `copyOf` drops it, as `JSON.stringify` does. */
  readonly hasUndefined: boolean;
}

interface Place {
  readonly value: object;
  readonly depth: number;
  /** Parent in a chain, so that a path is only built for an error message. */
  readonly parent: Place | undefined;
  readonly key: string | number;
}

/**
 * Checks that a value is plain JSON within the limits. Iterative, so that hostile input cannot exhaust the stack. Refuses
 * everything that JSON would drop or change silently (functions, `NaN`, dates, `toJSON`, `undefined` in an array), because saved data
 * must come back exactly. A member of an object that is `undefined` counts as absent, as in `JSON.stringify`.
 *
 * @param name name of the value in messages.
 * @throws INVALID_INPUT naming the place, the rule and the limit.
 */
export function checkJson(root: object, limits: Pick<Limits, "maxDepth" | "maxKeys">, name = "context"): JsonCheck {
  const pending: Place[] = [{ value: root, depth: 1, parent: undefined, key: name }];
  /** Returns the fewest characters of a member, without its own members. */
  const checkMember = (parent: Place, key: string | number, value: unknown): number => {
    switch (typeof value) {
      case "string":
        return value.length + LEAST_CHARACTERS;
      case "boolean":
        return LEAST_CHARACTERS;
      case "number":
        if (!Number.isFinite(value)) refuse({ value: Object(value), depth: 0, parent, key }, "is not a finite number");
        return LEAST_CHARACTERS;
      case "object":
        if (value !== null) pending.push({ value, depth: parent.depth + 1, parent, key });
        return LEAST_CHARACTERS;
      default:
        refuse(
          { value: Object(value), depth: 0, parent, key },
          `is ${typeof value}, which JSON cannot hold`,
          value === undefined ? "Put null in its place, or omit the item." : undefined,
        );
    }
  };
  let keys = 0;
  let characters = 0;
  let isCanonical = true;
  let hasUndefined = false;
  for (let place = pending.pop(); place !== undefined; place = pending.pop()) {
    if (place.depth > limits.maxDepth) refuse(place, `is nested deeper than ${limits.maxDepth} levels`);
    const record = place.value as Record<string, unknown>;
    const isList = Array.isArray(record);
    if (!isList && !isPlain(record)) refuse(place, "is not a plain object");
    if (typeof record["toJSON"] === "function") refuse(place, "has a method toJSON");
    if (isList) {
      for (let index = 0; index < record.length; index++) {
        characters += checkMember(place, index, record[index]);
      }
      continue;
    }
    let previous = "";
    for (const key of Object.keys(record)) {
      const value = record[key];
      if (value === undefined) {
        hasUndefined = true;
        continue;
      }
      if (key < previous) isCanonical = false;
      previous = key;
      if (++keys > limits.maxKeys) refuse(place, `brings the ${name} over ${limits.maxKeys} keys`);
      characters += key.length + KEY_MARKS + checkMember(place, key, value);
    }
  }
  return { isCanonical, characters, hasUndefined };
}

/** Two quotes and a colon. */
const KEY_MARKS = 3;
/** Fewest characters of any value with its separator. */
const LEAST_CHARACTERS = 2;

/** True for an object without a class, which JSON can hold as it is. */
export function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  // Objects of another realm (vm contexts, worker messages) have another `Object.prototype`.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function refuse(place: Place, rule: string, hint = "Send JSON values within the limits; shorten larger ones."): never {
  const path = pathOf(place);
  throw invalidInput(path, `${path} ${rule}.`, hint);
}

/** Returns the path for a message, shortened so that hostile keys cannot inflate it. */
function pathOf(place: Place): string {
  const segments: string[] = [];
  let at = place;
  for (; at.parent !== undefined; at = at.parent)
    segments.unshift(typeof at.key === "number" ? `[${at.key}]` : `[${JSON.stringify(clip(at.key))}]`);
  return `${at.key}${segments.slice(0, 8).join("")}${segments.length > 8 ? "..." : ""}`;
}

function clip(key: string): string {
  return key.length <= 60 ? key : `${key.slice(0, 60)}...`;
}

/** Maps the members of a list or an object, in order. Returns other values unchanged. Drops members that are `undefined`. */
function withMembers(value: JsonValue, make: (member: JsonValue) => JsonValue): JsonValue {
  if (typeof value !== "object" || value === null) return value;
  if (!isJsonObject(value)) return value.map((item) => make(item));
  const made = {};
  for (const key of Object.keys(value)) {
    const member: JsonValue | undefined = value[key];
    if (member !== undefined) setMember(made, key, make(member));
  }
  return made;
}

const PROTOTYPE: object = Object.prototype;

/**
 * Assigns a member of a plain object, as an own property also where the prototype has a setter or a frozen property of that name, such as
 * `__proto__`. Faster than `Object.fromEntries`.
 */
export function setMember<T>(object: Record<string, T>, key: string, value: T): void {
  if (key in PROTOTYPE) Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  else object[key] = value;
}

/** Copies a value of bounded depth. Texts and numbers are shared. Drops members that are `undefined`. */
export function copyOf(value: JsonValue): JsonValue {
  return withMembers(value, copyOf);
}

/** Frozen copies made here. They are immutable, so they are not copied again. */
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
