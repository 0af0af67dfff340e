import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseJson, roundedIntegers } from "./parse-json.ts";
import { runsOf } from "../../../storage-conformance/test/long-form.ts";

const name = fc.oneof(
  fc.string({ unit: fc.constantFrom("\\", "\n", `"`, "a", "@", "\ud800", "\t", ":", "{", ",", " "), maxLength: 4 }),
  fc.constantFrom("__proto__", "10", "9"),
);
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.oneof(fc.constant(null), fc.integer(), name),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.array(fc.tuple(name, tie("value")), { maxLength: 4 }).map((members) => Object.fromEntries(members) as unknown),
  ),
}));

describe("parseJson", () => {
  it("reads keys with escapes after objects of the same shape had backslash keys", () => {
    const names = [
      "\\",
      "\n",
      `"`,
      "\\\\",
      "\\n",
      "\\a",
      `""`,
      "@",
      "@\\",
      "@\n",
      "\ud800",
      "C:\\",
      "C:\n",
      "a\\b",
      "a\nb",
      "\\\n",
      "\\\\\n",
    ];
    for (const [index, first] of names.entries()) {
      for (const [other, second] of names.entries()) {
        const shape = `shape ${index} ${other}`;
        parseJson(JSON.stringify({ [shape]: 0, [first]: 0 }));
        expect(Object.keys(parseJson(JSON.stringify({ [shape]: 0, [second]: 0 })) as object)).toEqual([shape, second]);
      }
    }
  });

  it("reads the output of JSON.stringify, with and without white space, after thousands of other texts", () => {
    fc.assert(
      fc.property(value, fc.constantFrom(undefined, 2), (given, space) => {
        const text = JSON.stringify(given, undefined, space);
        expect(JSON.stringify(parseJson(text), undefined, space)).toBe(text);
      }),
      { numRuns: runsOf(5_000) },
    );
  });

  it("reads keys with escapes at any depth", () => {
    let read = parseJson(`${'{"a\\n":['.repeat(10_000)}1${"]}".repeat(10_000)}`) as unknown;
    for (let level = 0; level < 10_000; level++) read = (read as { "a\n": [unknown] })["a\n"][0];
    expect(read).toBe(1);
  });

  it("reads keys with escapes beside texts of many megabytes", () => {
    const value = { "a\nb": 1, texts: ["x".repeat(9_000_000), "\n".repeat(9_000_000)] };
    expect(parseJson(JSON.stringify(value))).toStrictEqual(value);
  });

  it("reads keys with white space before their colon", () => {
    parseJson(String.raw`{"spaced":0,"\\":0}`);
    expect(parseJson(String.raw`{"spaced":0,"\n" :0}`)).toEqual({ spaced: 0, "\n": 0 });
  });

  it("keeps the last of equal keys, in the place of the first, as JSON.parse does", () => {
    expect(JSON.stringify(parseJson(String.raw`{"a\n":1,"b":2,"a\u000a":3}`))).toBe(String.raw`{"a\n":3,"b":2}`);
  });

  it.each(["", "{", `{"\\`, `{"\\x":1}`, `{"\\n":}`, `{"\\n":1}}`, `{"\\n" 1}`, `{"\\n":1 "a":2}`, `{"\\n":"a\nb"}`, `{"\\u12":1}`])(
    "refuses %j as JSON.parse does",
    (text) => {
      expect(() => parseJson(text)).toThrow(SyntaxError);
    },
  );
});

describe("roundedIntegers", () => {
  it.each([
    ["the first one", '{"id":9007199254740993}', ["9007199254740993"]],
    ["in a list, negative, and alone", "[1, -9007199254740993 ,\n1732379877123456789]", ["-9007199254740993", "1732379877123456789"]],
    ["the same twice", "[9007199254740993,9007199254740993]", ["9007199254740993"]],
    ["none of those that it can", "[9007199254740992, 9007199254740994, 1e21, 100000000000000000000]", []],
    ["none within a text or a key", String.raw`{"a\" ,9007199254740993":"x, 9007199254740993 \\","b":1}`, []],
    ["after a text that ends with a backslash", String.raw`{"a":"\\","b":9007199254740993}`, ["9007199254740993"]],
    ["no fractions or powers", "[0.12345678901234567, 12345678901234567.5, 12345678901234567e2, 1e-12345678901234567]", []],
  ])("lists the integers that a double cannot represent: %s", (_, text, expected) => {
    expect(roundedIntegers(text)).toEqual(expected);
  });

  it("roundedIntegers returns exactly the integers whose digits change", () => {
    const leaf = fc.oneof(
      fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(leaf), (items) => {
        const text = `[${items.map((item) => (typeof item === "bigint" ? String(item) : JSON.stringify(item))).join(",")}]`;
        const read = JSON.parse(text) as unknown[];
        const changed = items.flatMap((item, at) =>
          typeof item === "bigint" && BigInt(read[at] as number) !== item ? [String(item)] : [],
        );
        // A written double may have as many digits. It reads back exactly, but differs from the written integer.
        const doubles = items.flatMap((item) => (typeof item === "number" ? [JSON.stringify(item)] : []));
        expect(roundedIntegers(text).filter((digits) => !doubles.includes(digits))).toEqual([...new Set(changed)]);
      }),
    );
  });
});
