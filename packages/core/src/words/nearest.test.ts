import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseCheckpointId } from "../model/ids.ts";
import type { Neighbour } from "../ports/vector-index.ts";
import { dotProduct, NearestFirst, unitVector } from "./nearest.ts";

const numbers = fc
  .float32Array({ noNaN: true, noDefaultInfinity: true, minLength: 1, maxLength: 20 })
  .filter((vector) => vector.some(Boolean));

describe("vectors", () => {
  it("have the length 1 and their old direction, however small or large they were", () =>
    fc.assert(
      fc.property(numbers, (vector) => {
        const unit = unitVector(vector);
        expect(dotProduct(unit, unit)).toBeCloseTo(1, 4);
        expect([...unit].every((number, at) => number * (vector[at] as number) >= 0)).toBe(true);
      }),
    ));

  it("have the sum of their products", () =>
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.integer({ min: -99, max: 99 }), fc.integer({ min: -99, max: 99 })), { maxLength: 30 }), (pairs) => {
        const [left, right] = [0, 1].map((side) => Float32Array.from(pairs.map((pair) => pair[side] as number))) as [
          Float32Array,
          Float32Array,
        ];
        expect(dotProduct(left, right)).toBe(pairs.reduce((sum, [a, b]) => sum + a * b, 0));
      }),
    ));
});

describe("NearestFirst", () => {
  it("keeps the same neighbours as sorting all of them", () =>
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 500 }), fc.integer({ min: 1, max: 20 }), (similarities, limit) => {
        const all = similarities.map((similarity, at): Neighbour => ({ checkpointId: parseCheckpointId(`c${at + 1_000}`), similarity }));
        const kept = new NearestFirst(limit);
        for (const neighbour of all) kept.add(neighbour);
        // Ties are ordered by id, which is the order of the list.
        expect(kept.all()).toEqual(all.toSorted((left, right) => right.similarity - left.similarity).slice(0, limit));
      }),
    ));
});
