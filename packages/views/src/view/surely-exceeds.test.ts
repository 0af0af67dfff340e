import * as fc from "fast-check";
import { expect, it } from "vitest";
import { surelyExceeds } from "./surely-exceeds.ts";

/** Splits a text as encodings do: words and separators; long words cost more than one. */
const count = (text: string): number =>
  [...text.matchAll(/ ?[a-z]+| ?[^\sa-z]+|\s+/gi)].reduce((sum, [word]) => sum + Math.ceil(word.length / 6), 0);

const word = fc.oneof(fc.stringMatching(/^[a-z]{1,12}$/), fc.constantFrom("{", "}", "12", "\n", "x".repeat(300), " ".repeat(50)));

it("surelyExceeds is false for a text within the limit, and true for one far over it", () => {
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 40 }), fc.integer({ min: 1, max: 60 }), fc.nat(400), (words, times, tokens) => {
      const text = `${words.join(" ")} `.repeat(times);
      expect(surelyExceeds(text, tokens, count) && count(text) <= tokens).toBe(false);
    }),
    { numRuns: 500 },
  );
  expect(surelyExceeds("a word ".repeat(5_000), 100, count)).toBe(true);
});

it("surelyExceeds counts only the beginning", () => {
  let counted = 0;
  const noting = (text: string): number => {
    counted += text.length;
    return count(text);
  };
  surelyExceeds("a word ".repeat(50_000), 100, noting);
  expect(counted).toBeLessThan(1_000);
});
