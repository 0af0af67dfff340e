import * as fc from "fast-check";
import { expect, it } from "vitest";
import type { JsonValue } from "../model/context.ts";
import { canonicalJson } from "./canonical-json.ts";
import { canonicalTexts, writeJson, writtenTexts } from "./written-json.ts";

const someKey = fc.oneof(fc.constantFrom("__proto__", "1", "10", "a", '"', "\n"), fc.string({ unit: "binary" }));
const someValue = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 6 },
    fc.oneof(fc.constantFrom(null, true, 0, -1.5e-7), someKey),
    fc.array(tie("value")),
    fc.array(fc.tuple(someKey, tie("value"))).map((members): JsonValue => Object.fromEntries(members)),
  ),
})).value;

it("writtenTexts equals JSON.stringify, canonicalTexts the canonical JSON", () => {
  fc.assert(
    fc.property(someValue, fc.integer({ min: 0, max: 6 }), (value, levels) => {
      const json = writeJson(value, levels);
      expect([...writtenTexts(json)].join("")).toBe(JSON.stringify(value));
      expect([...canonicalTexts(json)].join("")).toBe(canonicalJson(value));
    }),
    { numRuns: 1_000 },
  );
});

it("writes long arrays in runs sized by their items", () => {
  const value = {
    small: Array.from({ length: 5_000 }, (_, index) => ({ b: index, a: 1 })),
    large: Array.from({ length: 5 }, () => "x".repeat(300_000)),
  };
  const json = writeJson(value);
  expect([...writtenTexts(json)].join("")).toBe(JSON.stringify(value));
  expect([...canonicalTexts(json)].join("")).toBe(canonicalJson(value));
  expect(Math.max(...[...writtenTexts(json)].map(({ length }) => length))).toBeLessThan(400_000);
});

it("is a snapshot of the value", () => {
  const value = { a: [1, 2], b: { c: "d" } };
  const json = writeJson(value);
  value.a.push(3);
  value.b.c = "changed";
  expect([...writtenTexts(json)].join("")).toBe('{"a":[1,2],"b":{"c":"d"}}');
});
