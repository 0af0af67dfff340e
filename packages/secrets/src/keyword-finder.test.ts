import * as fc from "fast-check";
import { expect, it } from "vitest";
import { KeywordFinder, KeywordPattern } from "./keyword-finder.ts";

const WORDS = ["key", "api_key", "apikey", "ghp_", "token", "oken", "a", "bearer ", "sk-", "1//0", "$.(b"];

it("KeywordFinder and KeywordPattern find the same words in the same order", () => {
  const text = fc
    .array(fc.constantFrom(...WORDS, "API_KEY", "Token", "\u0130", "\u212a", "to\u212aen", "\u017f", "x ", "-"), { maxLength: 30 })
    .map((pieces) => pieces.join(""));
  const table = new KeywordFinder(WORDS);
  const pattern = new KeywordPattern(WORDS);
  fc.assert(
    fc.property(text, fc.nat(20), fc.nat(60), (given, from, length) => {
      const [withTable, without]: [string[], string[]] = [[], []];
      table.find(given, { from, to: from + length }, (word, start) => withTable.push(`${WORDS[word]} at ${start}`));
      pattern.find(given, { from, to: from + length }, (word, start) => without.push(`${WORDS[word]} at ${start}`));
      expect(without).toEqual(withTable);
    }),
  );
});
