import { describe, expect, it } from "vitest";
import { ALL_TERMS, rarePreference, substituteWeight } from "./bm25.ts";

const term = (texts: number, weight: number): { texts: number; weight: number } => ({ texts, weight });

describe("a rare term beside frequent ones", () => {
  it("gets a bonus equal to the joint maximum of the frequent ones", () => {
    const { bonus, isRare } = rarePreference([term(1, 6), term(200, 1.5), term(300, 1.2), term(10, 4)], 1_000);
    expect(bonus).toBeCloseTo(2.7);
    expect([isRare(1), isRare(2), isRare(3), isRare(0)]).toEqual([true, true, false, false]);
  });

  it("is recognised in a small store", () => {
    expect(rarePreference([term(1, 2), term(5, 0.5)], 8).bonus).toBe(0.5);
    expect(rarePreference([term(1, 2), term(2, 1.5)], 8).bonus).toBe(0);
  });

  it("gets no bonus when all are rare, none is, or the query has many terms", () => {
    expect(rarePreference([term(1, 6), term(2, 5)], 1_000).bonus).toBe(0);
    expect(rarePreference([term(0, 7), term(300, 1)], 1_000).bonus).toBe(0);
    expect(rarePreference([term(1, 6), ...Array.from({ length: 8 }, () => term(300, 1))], 1_000).bonus).toBe(0);
  });
});

describe("a substitute for a term", () => {
  it("counts less than the term, and still less when it only matches as a prefix", () => {
    for (const isOnly of [true, false]) {
      const [instead, beginning] = [false, true].map((isBeginning) => substituteWeight({ isBeginning, isOnly })) as [number, number];
      expect(instead).toBeLessThan(1);
      expect(beginning).toBeLessThan(instead);
    }
  });

  it("never reaches the score of a text with the only term", () => {
    expect(substituteWeight({ isBeginning: false, isOnly: true })).toBeLessThanOrEqual(ALL_TERMS);
  });
});
