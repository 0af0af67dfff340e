import * as fc from "fast-check";
import { expect, it } from "vitest";
import type { JsonValue } from "../model/context.ts";
import { canonicalJson } from "./canonical-json.ts";
import { canonicalParts } from "./canonical-parts.ts";

const someKey = fc.oneof(fc.constantFrom("__proto__", "1", "10", "a", '"', "\\", "\n", "{", "]", ",", ":"), fc.string({ unit: "binary" }));
const someValue = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.oneof(fc.constantFrom(null, true, false, 0, -1.5e-7), fc.integer(), someKey),
    fc.array(tie("value")),
    fc.array(fc.tuple(someKey, tie("value"))).map((members): JsonValue => Object.fromEntries(members)),
  ),
})).value;

it("canonicalParts yields the canonical JSON for any part size", () => {
  fc.assert(
    fc.property(someValue, fc.integer({ min: 1, max: 40 }), (value, atOnce) => {
      expect([...canonicalParts(JSON.stringify(value), atOnce)].join("")).toBe(canonicalJson(value));
    }),
    { numRuns: 2_000 },
  );
});

it("canonicalParts never splits a surrogate pair", () => {
  for (const part of canonicalParts(JSON.stringify({ a: "🚀".repeat(50) }), 7)) expect(part.isWellFormed()).toBe(true);
});

it("canonicalParts yields regularly while it searches for the end of a large value", () => {
  const parts = canonicalParts(JSON.stringify({ b: Array.from({ length: 300_000 }, () => ["x"]), a: 1 }));
  const first = Array.from({ length: 5 }, () => parts.next().value);
  expect(first).toEqual(["", "", "", "", ""]);
});
