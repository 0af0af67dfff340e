import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isAlike } from "./alike.ts";

/** Words of few letters, so that many are alike. */
const word = fc.string({ unit: fc.constantFrom("a", "b", "c", "d"), minLength: 1, maxLength: 12 });

describe("terms that are alike", () => {
  it.each([
    ["lighthouse", "lighthose", true],
    ["lighthouse", "ligthhouse", true],
    ["lighthouse", "lihgtohuse", true],
    ["lighthouse", "lightens", false],
    ["port", "part", true],
    ["port", "prat", false],
    ["ion", "ton", false],
  ])("%s and %s: %s", (one, other, expected) => expect(isAlike(one, other)).toBe(expected));

  it("are those within the edit distance for their length: one change, two in longer terms; a swap is one", () => {
    fc.assert(
      fc.property(word, word, (one, other) => {
        const most = one.length < 4 ? 0 : one.length < 8 ? 1 : 2;
        expect(isAlike(one, other)).toBe(changesBetween(one, other) <= most);
      }),
    );
  });
});

/** Optimal string alignment by its definition (https://en.wikipedia.org/wiki/Damerau-Levenshtein_distance). */
function changesBetween(one: string, other: string): number {
  const known = new Map<string, number>();
  const between = (left: number, right: number): number => {
    if (left === 0 || right === 0) return left + right;
    const key = `${left} ${right}`;
    let least = known.get(key);
    if (least !== undefined) return least;
    const change = one[left - 1] === other[right - 1] ? 0 : 1;
    least = Math.min(between(left - 1, right) + 1, between(left, right - 1) + 1, between(left - 1, right - 1) + change);
    const isSwapped = left > 1 && right > 1 && one[left - 1] === other[right - 2] && one[left - 2] === other[right - 1];
    if (isSwapped) least = Math.min(least, between(left - 2, right - 2) + 1);
    known.set(key, least);
    return least;
  };
  return between(one.length, other.length);
}
