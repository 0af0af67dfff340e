import * as fc from "fast-check";
import { expect, it } from "vitest";
import { roundedIntegers } from "./rounded-integers.ts";

it.each([
  ["the first that a double has not", '{"id":9007199254740993}', ["9007199254740993"]],
  ["in a list, negative, and alone", "[1, -9007199254740993 ,\n1732379877123456789]", ["-9007199254740993", "1732379877123456789"]],
  ["the same twice", "[9007199254740993,9007199254740993]", ["9007199254740993"]],
  ["those that doubles have", "[9007199254740992, 9007199254740994, 1e21, 100000000000000000000]", []],
  ["what is within a text, or a key", String.raw`{"a\" ,9007199254740993":"x, 9007199254740993 \\","b":1}`, []],
  ["behind a text that ends with a backslash", String.raw`{"a":"\\","b":9007199254740993}`, ["9007199254740993"]],
  ["fractions and powers", "[0.12345678901234567, 12345678901234567.5, 12345678901234567e2, 1e-12345678901234567]", []],
])("tells integers that are read as others: %s", (_, text, expected) => {
  expect(roundedIntegers(text)).toEqual(expected);
});

it("roundedIntegers returns exactly the integers whose digits change", () => {
  const leaf = fc.oneof(fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.string());
  fc.assert(
    fc.property(fc.array(leaf), (items) => {
      const text = `[${items.map((item) => (typeof item === "bigint" ? String(item) : JSON.stringify(item))).join(",")}]`;
      const read = JSON.parse(text) as unknown[];
      const changed = items.flatMap((item, at) => (typeof item === "bigint" && BigInt(read[at] as number) !== item ? [String(item)] : []));
      // A written double may have as many digits. It reads back exactly, but differs from the written integer.
      const doubles = items.flatMap((item) => (typeof item === "number" ? [JSON.stringify(item)] : []));
      expect(roundedIntegers(text).filter((digits) => !doubles.includes(digits))).toEqual([...new Set(changed)]);
    }),
  );
});
