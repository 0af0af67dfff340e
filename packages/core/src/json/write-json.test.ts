import * as fc from "fast-check";
import { expect, it } from "vitest";
import type { JsonValue } from "../model/context.ts";
import { canonicalJson, canonicalParts, canonicalTexts, canonicalUtf8, writeJson, writtenTexts } from "./write-json.ts";
import { anyCharacter } from "../../../storage-conformance/test/any-character.ts";
import { runsOf } from "../../../storage-conformance/test/long-form.ts";

const someKey = fc.oneof(
  fc.constantFrom("__proto__", "1", "10", "a", '"', "\\", "\n", "{", "]", ",", ":"),
  fc.string({ unit: anyCharacter }),
);
const someValue = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 6 },
    fc.oneof(fc.constantFrom(null, true, false, 0, -1.5e-7), fc.integer(), someKey),
    fc.array(tie("value")),
    fc.array(fc.tuple(someKey, tie("value"))).map((members): JsonValue => Object.fromEntries(members)),
  ),
})).value;

it("writes the example of RFC 8785, section 3.2.2", () => {
  const value = JSON.parse(`{
    "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
    "string": "\\u20ac$\\u000F\\u000aA'\\u0042\\u0022\\u005c\\\\\\"\\/",
    "literals": [null, true, false]
  }`);
  expect(canonicalJson(value)).toBe(
    String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
  );
});

it("sorts keys by their UTF-16 code units, as in RFC 8785, section 3.2.3", () => {
  const value = JSON.parse(String.raw`{
    "\u20ac": "Euro Sign", "\r": "Carriage Return", "\ufb33": "Hebrew Letter Dalet With Dagesh", "1": "One",
    "\ud83d\ude00": "Emoji: Grinning Face", "\u0080": "Control", "\u00f6": "Latin Small Letter O With Diaeresis"
  }`) as JsonValue;
  expect(canonicalJson(value).match(/[A-Z][\w: ]+/g)).toEqual([
    "Carriage Return",
    "One",
    "Control",
    "Latin Small Letter O With Diaeresis",
    "Euro Sign",
    "Emoji: Grinning Face",
    "Hebrew Letter Dalet With Dagesh",
  ]);
});

it.each([
  [0, "0"],
  [-0, "0"],
  [5e-324, "5e-324"],
  [-5e-324, "-5e-324"],
  [1.7976931348623157e308, "1.7976931348623157e+308"],
  [9007199254740992, "9007199254740992"],
  [295147905179352830000, "295147905179352830000"],
  [9.999999999999997e22, "9.999999999999997e+22"],
  [1e23, "1e+23"],
  [1e21, "1e+21"],
  [999999999999999900000, "999999999999999900000"],
  [0.000001, "0.000001"],
  [9.999999999999997e-7, "9.999999999999997e-7"],
  [333333333.33333325, "333333333.33333325"],
  [-0.0000033333333333333333, "-0.0000033333333333333333"],
])("writes the number %d as RFC 8785, appendix B does", (value, text) => {
  expect(canonicalJson(value)).toBe(text);
});

it("sorts keys that look like numbers as texts, unlike object members", () => {
  expect(canonicalJson({ 10: 1, 9: 2, a: 3, "-1": 4 })).toBe(`{"-1":4,"10":1,"9":2,"a":3}`);
});

it("escapes a lone surrogate and leaves a pair", () => {
  expect(canonicalJson({ "\ud800": "\udc00x", pair: "\ud83d\ude00" })).toBe(String.raw`{"pair":"😀","\ud800":"\udc00x"}`);
});

it("keeps a key named __proto__", () => {
  expect(canonicalJson(JSON.parse(`{"b":1,"__proto__":{"d":1,"c":2}}`))).toBe(`{"__proto__":{"c":2,"d":1},"b":1}`);
});

it("writes the same text for every order of keys", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = canonicalJson(value as JsonValue);
      // Compared through JSON, which has no -0.
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      expect(canonicalJson(reversed(value as JsonValue))).toBe(text);
      expect(text).not.toMatch(/^\s|\s$/);
    }),
    { numRuns: runsOf(500) },
  );
});

function reversed(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return (value as JsonValue[]).map(reversed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, member]) => [key, reversed(member)]),
  );
}

it("encodes the same text as UTF-8, of any length", () => {
  const encoded = (value: JsonValue): string => {
    const { length } = new TextEncoder().encode(JSON.stringify(value));
    return new TextDecoder().decode(canonicalUtf8(value, length));
  };
  const check = (value: JsonValue): void => {
    expect(encoded(value)).toBe(canonicalJson(value));
  };
  fc.assert(fc.property(fc.jsonValue(), (value) => check(value as JsonValue)));
  for (const length of [1, 2_047, 2_048, 100_000, 700_000]) {
    check({ b: "ü".repeat(length), a: ["😀".repeat(length), "x".repeat(length)], c: {} });
  }
});

it("canonicalParts yields the canonical JSON for any part size", () => {
  fc.assert(
    fc.property(someValue, fc.integer({ min: 1, max: 40 }), (value, atOnce) => {
      expect([...canonicalParts(JSON.stringify(value), atOnce)].join("")).toBe(canonicalJson(value));
    }),
    { numRuns: runsOf(2_000) },
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

it("writtenTexts equals JSON.stringify, canonicalTexts the canonical JSON", () => {
  fc.assert(
    fc.property(someValue, fc.integer({ min: 0, max: 6 }), (value, levels) => {
      const json = writeJson(value, levels);
      expect([...writtenTexts(json)].join("")).toBe(JSON.stringify(value));
      expect([...canonicalTexts(json)].join("")).toBe(canonicalJson(value));
    }),
    { numRuns: runsOf(1_000) },
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
