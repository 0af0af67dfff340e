import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { windowsOf } from "./windows.ts";

describe("the parts of two long texts that differ", () => {
  it("hold the only difference, wherever it is", () => {
    const line = "the same line again and again\n";
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 5_000 }), fc.string({ minLength: 1, maxLength: 50 }), (place, added) => {
        const from = line.repeat(5_000);
        const to = `${from.slice(0, place * line.length)}${added}${from.slice(place * line.length)}`;
        const { from: before, to: after } = windowsOf(from, to);
        expect(before.end - before.offset).toBeLessThanOrEqual(20_000);
        const changed = to.slice(0, after.offset) + to.slice(after.offset, after.end) + to.slice(after.end);
        expect(changed).toBe(to);
        // The parts left out are the same on both sides.
        expect(to.slice(0, after.offset)).toBe(from.slice(0, before.offset));
        expect(to.slice(after.end)).toBe(from.slice(before.end));
      }),
      { numRuns: 50 },
    );
  });

  it("take little of texts that have nothing in common", () => {
    const { from, to } = windowsOf("a".repeat(5_000_000), "b".repeat(4_000_000));
    expect([from.end - from.offset, to.end - to.offset]).toEqual([20_000, 20_000]);
  });
});
