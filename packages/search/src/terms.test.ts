import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { termsOf, wordsOf } from "./terms.ts";

describe("the terms of a text", () => {
  it.each<[string, string, readonly string[]]>([
    ["words, stemmed, without stop-words", "The connections were connecting to the connected", ["connect", "connect", "connect"]],
    ["camelCase whole and by part", "getUserName", ["getusernam", "get", "user", "name"]],
    ["capitals before a word, and their plural", "HTMLPage userIDs", ["htmlpage", "html", "page", "userid", "user", "id"]],
    ["snake and kebab case", "max_retries well-known", ["maxretri", "max", "retri", "wellknown", "well", "known"]],
    ["paths", "src/main.ts", ["srcmaint", "src", "main", "ts"]],
    ["names of modules", "std::vec", ["stdvec", "std", "vec"]],
    [
      "figures with letters as one, and apart where they change once",
      "error404 32km e3b0c442 v2",
      ["error404", "error", "404", "32km", "32", "km", "e3b0c442", "v2"],
    ],
    ["what an apostrophe joins", "it's Newton's isn’t", ["newton", "isnt"]],
    ["a moment as its day and its time", "2026-03-05T14:02:59.120Z", ["20260305", "2026", "03", "05", "140259", "14", "02", "59"]],
    ["letters without their accents", "Café naïve", ["cafe", "naiv"]],
    ["full width and ligatures as what they mean", "ＡＢＣ ﬁle", ["abc", "file"]],
    ["text without spaces by pairs of letters", "東京都に行く", ["東京", "京都", "都に", "に行", "行く"]],
    ["a single letter of such a script", "京", ["京"]],
    ["both kinds in one word", "API設定", ["api", "設定"]],
    ["other alphabets by word", "Привет мир", ["привет", "мир"]],
    ["nothing of signs", "--- *** !?", []],
  ])("are %s", (_, text, terms) => expect(termsOf(text)).toEqual(terms));

  it("are separate from the stop words, which occur once each and never equal a term", () => {
    const { terms, stopWords } = wordsOf("What is it that it is? The to_do of today");
    expect(terms).toEqual(["todo", "today"]);
    expect([...stopWords].map((word) => word.slice(1))).toEqual(["what", "is", "it", "that", "the", "to", "do", "of"]);
    expect([...stopWords].filter((word) => /^[\p{L}\p{Nd}]/u.test(word))).toEqual([]);
  });

  it("are the same for every spelling of an identifier", () => {
    const ways = ["maxRetries", "max_retries", "max-retries", "MAX_RETRIES", "max.retries", "maxretries"];
    expect(new Set(ways.map((way) => termsOf(way)[0]))).toEqual(new Set(["maxretri"]));
  });

  it("do not depend on non-ASCII letters elsewhere in the text", () => {
    const ascii = fc.string({ unit: fc.constantFrom(..."aBcD09sS-._/:>@#$+~' \n".split("")), maxLength: 40 });
    const ofText = fc.property(ascii, (text) => {
      expect(termsOf(`${text} 京`)).toEqual([...termsOf(text), "京"]);
    });
    fc.assert(ofText, { numRuns: 2_000 });
  });

  it("of a very long word are its beginning", () => {
    const [term] = termsOf("a1".repeat(5_000));
    expect(term).toBe("a1".repeat(32));
  });

  it("take time linear in the text", () => {
    const started = performance.now();
    termsOf("a-".repeat(200_000));
    termsOf("aB".repeat(200_000));
    termsOf("語".repeat(200_000));
    expect(performance.now() - started).toBeLessThan(30_000);
  });
});
