import type { Context, JsonObject, JsonValue } from "@workrail/core";
import * as fc from "fast-check";

/** Keys that often cause errors with objects, paths, prototypes and promises. */
const AWKWARD_KEYS = [
  ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "toJSON", "then", "length"],
  ["", " ", "a/b", "/", "~", "~0", "~1", "a.b", "[0]", "0", "1", "10", "01", "-0", "1e3"],
  ["ключ", "キー", "é", "e\u0301", "😀", "\ud800", "\udfff", "\u0000", "\u2028", '"', "\\"],
].flat();

const SURROGATES = { first: 0xd800, count: 0x800 };

/** Any character, as fast-check's unit `binary`, which takes 2 s to list them all. */
const someCharacter: fc.Arbitrary<string> = fc.nat(0x10ffff - SURROGATES.count).map(
  (index) => String.fromCodePoint(index < SURROGATES.first ? index : index + SURROGATES.count),
  (text) => {
    const point = typeof text === "string" && text.isWellFormed() ? text.codePointAt(0) : undefined;
    if (point === undefined || text !== String.fromCodePoint(point)) throw new Error("The text is not one character.");
    return point < SURROGATES.first ? point : point - SURROGATES.count;
  },
);

const someText: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.string({ maxLength: 30 }) },
  { weight: 2, arbitrary: fc.string({ unit: someCharacter, maxLength: 20 }) },
  // Any code units, with lone surrogates.
  { weight: 2, arbitrary: fc.array(fc.nat(0xffff), { maxLength: 10 }).map((units) => String.fromCharCode(...units)) },
  { weight: 1, arbitrary: fc.constantFrom("\u2028\u2029", "\ud83d", "\ude00\ud83d", "\u0000", "</script>", "\r\n", "\ufeff") },
);

const someKey: fc.Arbitrary<string> = fc.oneof(
  { weight: 2, arbitrary: someText },
  { weight: 1, arbitrary: fc.constantFrom(...AWKWARD_KEYS) },
);

const someNumber: fc.Arbitrary<number> = fc.oneof(
  fc.integer(),
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0, 1e21, 1e-7, 5e-324, Number.MAX_VALUE, 0.1 + 0.2, 2 ** 53),
);

function someObject(value: fc.Arbitrary<JsonValue>, maxLength: number): fc.Arbitrary<JsonObject> {
  return fc.array(fc.tuple(someKey, value), { maxLength }).map(objectOf);
}

const { value: someValue } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    { weight: 3, arbitrary: someText },
    { weight: 2, arbitrary: someNumber },
    { weight: 1, arbitrary: fc.constantFrom(null, true, false) },
    { weight: 2, arbitrary: fc.array(tie("value"), { maxLength: 5 }) },
    { weight: 3, arbitrary: someObject(tie("value"), 6) },
  ),
}));

/** Contexts nested up to the default limit, of objects and arrays in any order. */
const someDeep: fc.Arbitrary<Context> = fc
  .tuple(fc.integer({ min: 60, max: 127 }), fc.array(fc.boolean(), { minLength: 1 }), someKey)
  .map(([levels, turns, key]) => {
    let value: JsonValue = "bottom";
    for (let level = 1; level < levels; level++) value = turns[level % turns.length] === true ? [value] : objectOf([[key, value]]);
    return objectOf([[key, value]]);
  });

const someWide: fc.Arbitrary<Context> = fc
  .tuple(fc.integer({ min: 200, max: 2_000 }), someText, someValue)
  .map(([width, prefix, value]) =>
    objectOf(Array.from({ length: width }, (_, index) => [`${prefix}${index * 7919}`, index % 50 === 0 ? value : index])),
  );

const someLong: fc.Arbitrary<Context> = fc
  .tuple(someKey, someText, fc.integer({ min: 1, max: 20_000 }))
  .map(([key, text, times]) => objectOf([[key, text.repeat(times)]]));

/** Contexts of every JSON shape: text of any code units, awkward keys, deep, wide, long, empty. */
export const someContext: fc.Arbitrary<Context> = fc.oneof(
  { weight: 20, arbitrary: someObject(someValue, 12) },
  { weight: 1, arbitrary: someDeep },
  { weight: 1, arbitrary: someWide },
  { weight: 1, arbitrary: someLong },
);

/** Makes an object of own members, so that `__proto__` is a key like any other. */
function objectOf(entries: readonly (readonly [string, JsonValue])[]): JsonObject {
  const object = {};
  for (const [key, value] of entries) Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  return object;
}

/** Returns the same content with the keys of every object in reverse order, except keys that JavaScript orders itself. */
export function reordered<T extends JsonValue>(value: T): T;
export function reordered(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map((each: JsonValue) => reordered(each));
  if (typeof value !== "object" || value === null) return value;
  return objectOf(
    Object.entries(value)
      .map(([key, member]) => [key, reordered(member)] as const)
      .reverse(),
  );
}
