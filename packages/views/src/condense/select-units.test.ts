import { describe, expect, it } from "vitest";
import type { Group } from "./outline.ts";
import { selectUnits, takeUnits } from "./select-units.ts";
import type { Candidate } from "./weigh-units.ts";

const count = (text: string): number => text.length;
const root: Group = { label: "", parent: undefined };

function candidate(place: number, ids: readonly number[], given: { tokens?: number; group?: Group; relevance?: number } = {}): Candidate {
  const { tokens = 10, group = root, relevance = 1 } = given;
  const unit = { text: `unit ${place}`, group, joint: "\n" } as const;
  return { unit, place, part: 0, text: unit.text, tokens, terms: ids.map((id) => ({ id, weight: 1 })), relevance };
}

describe("selecting units", () => {
  it("prefers new terms to repeated ones", () => {
    const candidates = [candidate(0, [1, 2, 3]), candidate(1, [1, 2, 3]), candidate(2, [4])];
    expect([...selectUnits(candidates, 20, { count })]).toEqual([0, 2]);
  });

  it("prefers the cheaper of equivalent units, and the more relevant one", () => {
    expect([...selectUnits([candidate(0, [1], { tokens: 9 }), candidate(1, [1], { tokens: 5 })], 9, { count })]).toEqual([1]);
    expect([...selectUnits([candidate(0, [1], { relevance: 0.2 }), candidate(1, [2])], 10, { count })]).toEqual([1]);
  });

  it("counts a heading once", () => {
    const group = { label: "1234567", parent: root };
    const candidates = [candidate(0, [1], { group }), candidate(1, [2], { group })];
    expect(selectUnits(candidates, 10 + 10 + 9, { count }).size).toBe(2);
    expect(selectUnits(candidates, 10 + 10 + 8, { count }).size).toBe(1);
  });

  it("chooses the earliest of thousands of equal units", () => {
    const alike = Array.from({ length: 30_000 }, (_, place) => candidate(place, [1, 2]));
    const chosen = selectUnits(
      [...alike, candidate(30_000, [3], { tokens: 5 })].map((each) => ({ ...each, text: "the same" })),
      1_005,
      { count },
    );
    expect([...chosen]).toEqual([0, 30_000, ...Array.from({ length: 99 }, (_, place) => place + 1)]);
  });

  it("chooses units of higher weight first", () => {
    const alike = Array.from({ length: 30_000 }, (_, place) => {
      const one = candidate(place, [1, 2]);
      return { ...one, text: "the same", terms: one.terms.map(({ id }) => ({ id, weight: 1 + (place % 2) })) };
    });
    expect([...selectUnits(alike, 30, { count })]).toEqual([1, 3, 5]);
  });

  it("skips units that do not fit", () => {
    expect([...selectUnits([candidate(0, [1, 2, 3, 4, 5, 6, 7, 8], { tokens: 30 }), candidate(1, [9])], 12, { count })]).toEqual([1]);
  });
});

it("takes the first units, or the last of a history", () => {
  const candidates = [candidate(0, []), candidate(1, []), candidate(2, [])];
  expect([...takeUnits(candidates, 20, { count, isHistory: false })]).toEqual([0, 1]);
  expect([...takeUnits(candidates, 20, { count, isHistory: true })]).toEqual([2, 1]);
});
