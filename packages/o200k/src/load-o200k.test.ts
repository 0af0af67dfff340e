import * as fc from "fast-check";
import { readFileSync } from "node:fs";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { beforeAll, describe, expect, it } from "vitest";
import { anyCharacter } from "../../storage-conformance/test/any-character.ts";
import { runsOf } from "../../storage-conformance/test/long-form.ts";
import { tableFile } from "../test/table-file.ts";
import { tokensOfO200k } from "../test/tokens-of-o200k.ts";
import { loadO200k, type O200k } from "./load-o200k.ts";
import { BUCKETS, bucketOf, NO_TOKEN, TokenTable, TOKENS } from "./token-table.ts";

const FILE = readFileSync(new URL("o200k.bin", import.meta.url));

const exact = (text: string): number => countTokens(text, { disallowedSpecial: new Set() });

describe("the table of tokens", () => {
  const tokens = tokensOfO200k();

  it("is made of the tokens that OpenAI publishes", () => {
    expect(tokens).toHaveLength(TOKENS);
    expect(Buffer.compare(FILE, tableFile(tokens))).toBe(0);
  });

  it("finds the rank of each token, and none of other bytes", () => {
    const table = new TokenTable(FILE);
    const wrong = tokens.filter((bytes, rank) => table.rankOf(bytes, 0, bytes.length) !== rank);
    expect(wrong).toEqual([]);
    const known = new Set(tokens.map((bytes) => Buffer.from(bytes).toString("latin1")));
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 4 }), fc.nat(3), (bytes, start) => {
        const from = Math.min(start, bytes.length - 1);
        const isToken = known.has(Buffer.from(bytes.subarray(from)).toString("latin1"));
        expect(table.rankOf(bytes, from, bytes.length) !== NO_TOKEN).toBe(isToken);
      }),
    );
  });

  it("has few tokens in each bucket", () => {
    const sizes = new Uint8Array(BUCKETS);
    for (const bytes of tokens) sizes[bucketOf(bytes, 0, bytes.length)] = 1 + (sizes[bucketOf(bytes, 0, bytes.length)] ?? 0);
    expect(Math.max(...sizes)).toBe(14);
  });
});

describe("counting the tokens of o200k", () => {
  let o200k: O200k;
  beforeAll(async () => {
    o200k = await loadO200k();
  });

  const PARTS = [
    "the",
    " Plan",
    "userGoal",
    "don't",
    "WE'LL",
    "2026",
    "1",
    "é",
    "naïve",
    "…",
    "日本語",
    "한국어",
    "🙂",
    "e\u0301",
    "Ж",
    "ǅ",
    "ß",
  ];
  const SIGNS = [
    "\n",
    "\r\n",
    "  ",
    "\t",
    "\u2028",
    "\u00A0",
    "/",
    "//",
    ");\n",
    "=====",
    "_",
    "<|endoftext|>",
    "\u0000",
    "\uD800",
    "\uDC00",
  ];
  const someText = fc.oneof(
    fc.array(fc.constantFrom(...PARTS, ...SIGNS), { maxLength: 40 }).map((parts) => parts.join("")),
    fc.string({ unit: anyCharacter, maxLength: 100 }),
    fc.string({ unit: "grapheme", maxLength: 100 }),
  );

  it("equals an independent tokenizer for any text", () => {
    fc.assert(
      fc.property(someText, (text) => {
        expect(o200k.count(text)).toBe(exact(text));
      }),
      { numRuns: runsOf(2_000) },
    );
  });

  it.each([[""], ["a".repeat(3_000)], ["é".repeat(1_500)], ["=".repeat(5_000)], [" ".repeat(4_000)], ["ab ".repeat(2_000)]])(
    "equals it for a long run (%#)",
    (text) => {
      expect(o200k.count(text)).toBe(exact(text));
    },
  );

  it("equals it for words of thousands of letters", () => {
    const longWord = fc.string({
      unit: fc.constantFrom("a", "c", "d", "e", "i", "n", "o", "r", "s", "t"),
      minLength: 1_000,
      maxLength: 3_000,
    });
    fc.assert(
      fc.property(longWord, (word) => {
        expect(o200k.count(word)).toBe(exact(word));
      }),
      { numRuns: runsOf(20) },
    );
  });

  it("takes no text for a special token", () => {
    expect(o200k.count("<|endoftext|>")).toBe(exact("<|endoftext|>"));
  });
});
