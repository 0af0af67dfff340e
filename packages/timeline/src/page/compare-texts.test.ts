import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareLines, compareWords, type TextPart } from "./compare-texts.ts";

const TEXT = fc.string({ unit: fc.constantFrom("a", "bc", " ", "  ", ".", "é", "\t"), maxLength: 40 });

/** One side of a comparison. */
function sideOf(parts: readonly TextPart[], side: "del" | "ins"): string {
  return parts.map(({ same, [side]: own = "" }) => same ?? own).join("");
}

describe("a comparison by word", () => {
  it("marks the words that differ", () => {
    expect(compareWords("No downtime: the migration is online", "No downtime: the migration is online and reversible")).toEqual([
      { same: "No downtime: the migration is online" },
      { del: "", ins: " and reversible" },
    ]);
  });

  it("joins changes that only a space separates", () => {
    expect(compareWords("the bank answers after 45 s at noon", "the bank answers before 52 s at noon")).toEqual([
      { same: "the bank answers " },
      { del: "after 45", ins: "before 52" },
      { same: " s at noon" },
    ]);
  });

  it("shows no word differences in a rewritten sentence", () => {
    expect(compareWords("Make the worker look up the key", "Backfill in batches of 5000")).toBeUndefined();
    expect(compareWords("doing", "done")).toBeUndefined();
  });

  it("holds both texts, with all spaces", () => {
    fc.assert(
      fc.property(TEXT, TEXT, (from, to) => {
        const parts = compareWords(from, to);
        if (parts === undefined) return;
        expect([sideOf(parts, "del"), sideOf(parts, "ins")]).toEqual([from, to]);
      }),
    );
  });
});

describe("a comparison by line", () => {
  it("ignores line endings", () => {
    expect(compareLines("one\ntwo", "one\r\ntwo\r\nthree\r\n").map(({ kind, text }) => [kind, text])).toEqual([
      ["same", "one"],
      ["same", "two"],
      ["ins", "three"],
    ]);
    expect(compareLines("one\n", "one").every(({ kind }) => kind === "same")).toBe(true);
  });

  it("compares a line by word with the one that replaces it, though more lines follow", () => {
    const [, old, first, second] = compareLines("head\nadds prices in cart.ts", "head\nadds prices in total.ts\nand taxes");
    expect(old).toMatchObject({ kind: "del", words: [{ same: "adds prices in " }, { del: "cart", ins: "total" }, { same: ".ts" }] });
    expect([first?.words, second?.words]).toEqual([old?.words, undefined]);
  });
});
