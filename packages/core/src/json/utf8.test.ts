import * as fc from "fast-check";
import { expect, it } from "vitest";
import { byteParts, evenParts, SHORT_TEXT, textParts, utf8Of, utf8Parts } from "./utf8.ts";

const someTimes = fc.oneof({ arbitrary: fc.nat(20_000), weight: 5 }, fc.nat(400_000));
/** Short texts, and texts longer than any part. */
const texts = fc.array(
  fc.oneof(
    fc.string({ unit: "grapheme" }),
    fc.tuple(fc.constantFrom("x", "ß", "保", "🚀", "a🚀"), someTimes).map(([piece, times]) => piece.repeat(times)),
  ),
  { maxLength: 8 },
);

it("evenParts keeps the concatenation and splits no character", () => {
  fc.assert(
    fc.property(texts, (given) => {
      const even = [...evenParts(given)];
      expect(even.join("") === given.join("")).toBe(true);
      expect(even.every((part) => part.isWellFormed() && part.length <= SHORT_TEXT + 1)).toBe(true);
    }),
    { numRuns: 50 },
  );
});

it("utf8Parts yields the UTF-8, reusing one buffer", () => {
  fc.assert(
    fc.property(texts, (given) => {
      const parts = Array.from(utf8Parts(given), (part) => Buffer.from(part));
      expect(Buffer.concat(parts).equals(Buffer.from(given.join("")))).toBe(true);
      expect(parts.every(({ length }) => length <= 1024 * 1024)).toBe(true);
    }),
    { numRuns: 50 },
  );
  const large = [...utf8Parts(["x".repeat(3_000_000)])];
  expect(new Set(large.map(({ buffer }) => buffer)).size).toBe(1);
});

it("utf8Of encodes like one text", () => {
  fc.assert(
    fc.property(texts, (given) => {
      expect(Buffer.from(utf8Of(given)).equals(Buffer.from(given.join("")))).toBe(true);
    }),
    { numRuns: 50 },
  );
});

it("textParts splits between characters, byteParts anywhere", () => {
  expect([...textParts("a🚀b", 2)]).toEqual(["a🚀", "b"]);
  const bytes = new Uint8Array(2_500_000).map((_, index) => index);
  const parts = [...byteParts(bytes)];
  expect(parts.length).toBe(3);
  expect(Buffer.concat(parts).equals(bytes)).toBe(true);
});
