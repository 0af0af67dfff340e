import * as fc from "fast-check";
import { expect, it } from "vitest";
import { findWords, KeywordFinder } from "./keyword-finder.ts";

const WORDS = ["key", "api_key", "apikey", "ghp_", "token", "oken", "a", "bearer "];

it("finds the same words in the same order with a table and without", () => {
  const text = fc
    .array(fc.constantFrom(...WORDS, "API_KEY", "Token", "\u0130", "x ", "-"), { maxLength: 30 })
    .map((pieces) => pieces.join(""));
  const table = new KeywordFinder(WORDS);
  fc.assert(
    fc.property(text, fc.nat(20), fc.nat(60), (given, from, length) => {
      const [withTable, without]: [string[], string[]] = [[], []];
      table.find(given, from, from + length, (word, start) => withTable.push(`${WORDS[word]} at ${start}`));
      findWords(WORDS, given, from, from + length, (word, start) => without.push(`${WORDS[word]} at ${start}`));
      expect(without).toEqual(withTable);
    }),
  );
});
