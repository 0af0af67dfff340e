import {
  type ChangePosition,
  type CheckpointId,
  type CheckpointVector,
  dotProduct,
  parseCheckpointId,
  parseSessionId,
  unitVector,
  type VectorEngine,
} from "@workrail/core";
import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ConformanceOptions, completeOptions } from "./options.ts";

export interface VectorsHarness {
  /** Prefix of the names of all tests. */
  readonly name: string;
  /** Opens an empty engine. */
  open(): Promise<VectorEngine>;
  /** Opens the last engine's data again, after it was closed or beside it. Absent: closing forgets the data. */
  reopen?(): Promise<VectorEngine>;
}

const SPACE = { name: "model", dimensions: 2 };
const OTHER = { name: "other", dimensions: 2 };
const A = parseSessionId("a");
const B = parseSessionId("b");
const AT = new Date("2026-03-01T12:00:00Z");

/** Tests a vector engine: nearest vectors, missing vectors, and forgotten vectors. */
export function describeVectors(harness: VectorsHarness, options?: ConformanceOptions): void {
  const { runs, seed } = completeOptions(options);
  let vectors: VectorEngine;

  beforeEach(async () => {
    vectors = await harness.open();
  });
  afterEach(() => vectors.close());

  describe(`${harness.name}: vectors`, () => {
    it("is empty for an unknown space", async () => {
      expect(await vectors.nearest(SPACE, { vector: Float32Array.of(1, 0), limit: 5 })).toEqual([]);
      expect(await vectors.state(SPACE)).toEqual({ position: undefined, pending: 0, vectors: 0 });
      expect(await vectors.pending(SPACE, 5)).toEqual([]);
      expect(await vectors.settle(SPACE, { sessionId: A, version: 0 }, [id(1)])).toEqual([id(1)]);
      await vectors.forget([id(1)]);
      await vectors.retire(AT);
    });

    it("lists known spaces, most recently used first", async () => {
      expect(await vectors.spaces()).toEqual([]);
      await vectors.note(SPACE, { sessions: [A, B] }, AT);
      await vectors.put(SPACE, A, [at(1, 1, 0)]);
      await vectors.note(OTHER, { sessions: [] }, new Date(AT.getTime() + 1));
      expect(await vectors.spaces()).toEqual([
        { ...OTHER, pending: 0, vectors: 0 },
        { ...SPACE, pending: 2, vectors: 1 },
      ]);
    });

    it("orders by cosine similarity, whatever the norms of the vectors", async () => {
      await vectors.put(SPACE, A, [at(1, 10, 0), at(2, 0.1, 0.1), at(3, -5, 0), at(4, 0, 7)]);
      const nearest = await vectors.nearest(SPACE, { vector: Float32Array.of(3, 0.1), limit: 3 });
      expect(nearest.map(({ checkpointId }) => checkpointId)).toEqual([id(1), id(2), id(4)]);
      expect(nearest[0]?.similarity).toBeCloseTo(3 / Math.hypot(3, 0.1), 5);
    });

    it("finds the same as a comparison with every vector", () =>
      fc.assert(
        fc.asyncProperty(someVectors, fc.integer({ min: 1, max: 12 }), async (all, limit) => {
          const space = { name: `${(spaces += 1)}`, dimensions: DIMENSIONS };
          const [query = new Float32Array(DIMENSIONS), ...held] = all;
          await vectors.put(
            space,
            A,
            held.map((vector, number) => ({ checkpointId: id(number), project: undefined, vector })),
          );
          const expected = held
            .map((vector, number) => ({ checkpointId: id(number), similarity: dotProduct(unitVector(query), unitVector(vector)) }))
            .toSorted((left, right) => right.similarity - left.similarity || (left.checkpointId < right.checkpointId ? -1 : 1));
          expect(await vectors.nearest(space, { vector: query, limit })).toEqual(expected.slice(0, limit));
        }),
        { numRuns: Math.ceil(runs / 20), seed },
      ));

    it("finds the nearest of 1,200 vectors", async () => {
      const many = Array.from({ length: 1_200 }, (_, number) => at(number, Math.cos(number / 1_000), Math.sin(number / 1_000)));
      await vectors.put(SPACE, A, many);
      const nearest = await vectors.nearest(SPACE, { vector: Float32Array.of(Math.cos(0.7), Math.sin(0.7)), limit: 3 });
      expect(nearest.map(({ checkpointId }) => checkpointId).toSorted()).toEqual([id(699), id(700), id(701)]);
      expect(nearest[0]?.checkpointId).toBe(id(700));
    });

    it("filters by session and by project", async () => {
      await vectors.put(SPACE, A, [
        { ...at(1, 1, 0), project: "/one" },
        { ...at(2, 1, 1), project: "/two" },
      ]);
      await vectors.put(SPACE, B, [{ ...at(3, 1, 0), project: "/one" }, at(4, 1, 0)]);
      const found = async (where: object): Promise<unknown> =>
        (await vectors.nearest(SPACE, { vector: Float32Array.of(1, 0), limit: 9, ...where })).map(({ checkpointId }) => checkpointId);
      expect(await found({ sessionId: A })).toEqual([id(1), id(2)]);
      expect(await found({ project: "/one" })).toEqual([id(1), id(3)]);
      expect(await found({ project: "/one", sessionId: B })).toEqual([id(3)]);
      expect(await found({ project: "/none" })).toEqual([]);
    });

    it("replaces the vector of a checkpoint", async () => {
      await vectors.put(SPACE, A, [at(1, 1, 0)]);
      await vectors.put(SPACE, A, [at(1, 0, 1)]);
      expect(await vectors.nearest(SPACE, { vector: Float32Array.of(0, 2), limit: 9 })).toEqual([{ checkpointId: id(1), similarity: 1 }]);
      expect((await vectors.state(SPACE)).vectors).toBe(1);
    });

    it("separates spaces by name and by dimensions", async () => {
      await vectors.put(SPACE, A, [at(1, 1, 0)]);
      await vectors.put({ name: "model", dimensions: 3 }, A, [{ ...at(2, 0, 0), vector: Float32Array.of(1, 2, 3) }]);
      expect(await vectors.nearest(OTHER, { vector: Float32Array.of(1, 0), limit: 9 })).toEqual([]);
      expect(await vectors.nearest(SPACE, { vector: Float32Array.of(1, 0), limit: 9 })).toHaveLength(1);
      expect(await vectors.settle(OTHER, { sessionId: A, version: 0 }, [id(1), id(2)])).toEqual([id(1), id(2)]);
    });

    it("settle returns checkpoints without a vector, and deletes vectors of checkpoints that are not live", async () => {
      await vectors.put(SPACE, A, [at(1, 1, 0), at(2, 1, 0)]);
      await vectors.put(OTHER, A, [at(1, 1, 0)]);
      await vectors.put(SPACE, B, [at(3, 1, 0)]);
      expect(await vectors.settle(SPACE, { sessionId: A, version: 0 }, [id(2), id(4), id(5)])).toEqual([id(4), id(5)]);
      expect((await vectors.nearest(SPACE, { vector: Float32Array.of(1, 0), limit: 9 })).map(({ checkpointId }) => checkpointId)).toEqual([
        id(2),
        id(3),
      ]);
      expect((await vectors.state(OTHER)).vectors).toBe(0);
    });

    it("keeps a session pending until no vector is missing", async () => {
      await vectors.note(SPACE, { position: position("1"), sessions: [A, B] }, AT);
      expect(await vectors.state(SPACE)).toEqual({ position: "1", pending: 2, vectors: 0 });
      const pending = await vectors.pending(SPACE, 1);
      expect(pending).toHaveLength(1);
      const [first] = pending;
      if (first === undefined) throw new Error("No session is pending.");
      expect(await vectors.settle(SPACE, first, [id(1)])).toEqual([id(1)]);
      expect((await vectors.state(SPACE)).pending).toBe(2);
      await vectors.put(SPACE, first.sessionId, [at(1, 1, 0)]);
      expect(await vectors.settle(SPACE, first, [id(1)])).toEqual([]);
      expect(await vectors.state(SPACE)).toEqual({ position: "1", pending: 1, vectors: 1 });
      expect((await vectors.pending(SPACE, 9)).map(({ sessionId }) => sessionId)).toEqual(first.sessionId === A ? [B] : [A]);
    });

    it("keeps a session pending that is noted again before settle", async () => {
      await vectors.note(SPACE, { position: position("1"), sessions: [A] }, AT);
      const [seen] = await vectors.pending(SPACE, 1);
      await vectors.note(SPACE, { position: position("2"), sessions: [A] }, AT);
      if (seen === undefined) throw new Error("No session is pending.");
      expect(await vectors.settle(SPACE, seen, [])).toEqual([]);
      expect(await vectors.state(SPACE)).toMatchObject({ position: "2", pending: 1 });
      const [again] = await vectors.pending(SPACE, 1);
      await vectors.settle(SPACE, again ?? seen, []);
      expect((await vectors.state(SPACE)).pending).toBe(0);
    });

    it("keeps the position until another is noted, and restarts without deleting vectors", async () => {
      await vectors.put(SPACE, A, [at(1, 1, 0)]);
      await vectors.note(SPACE, { position: position("1"), sessions: [A] }, AT);
      await vectors.note(SPACE, { sessions: [B] }, AT);
      expect(await vectors.state(SPACE)).toEqual({ position: "1", pending: 2, vectors: 1 });
      const [seen] = await vectors.pending(SPACE, 1);
      await vectors.note(SPACE, { sessions: [], restart: true }, AT);
      expect(await vectors.state(SPACE)).toEqual({ position: undefined, pending: 0, vectors: 1 });
      await vectors.note(SPACE, { sessions: [A, B], position: position("2") }, AT);
      if (seen === undefined) throw new Error("No session is pending.");
      await vectors.settle(SPACE, seen, []);
      expect(await vectors.state(SPACE)).toEqual({ position: "2", pending: 2, vectors: seen.sessionId === A ? 0 : 1 });
    });

    it("forget deletes the vectors of a checkpoint in every space", async () => {
      for (const space of [SPACE, OTHER]) await vectors.put(space, A, [at(1, 1, 0), at(2, 1, 0)]);
      await vectors.forget([id(1), id(9)]);
      for (const space of [SPACE, OTHER]) {
        expect((await vectors.nearest(space, { vector: Float32Array.of(1, 0), limit: 9 })).map(({ checkpointId }) => checkpointId)).toEqual(
          [id(2)],
        );
      }
    });

    it("erase deletes everything, and the index stays usable", async () => {
      await vectors.note(SPACE, { position: position("1"), sessions: [A] }, AT);
      for (const space of [SPACE, OTHER]) await vectors.put(space, A, [at(1, 1, 0)]);
      await vectors.erase();
      for (const space of [SPACE, OTHER]) expect(await vectors.state(space)).toEqual({ position: undefined, pending: 0, vectors: 0 });
      await vectors.put(SPACE, A, [at(2, 1, 0)]);
      expect((await vectors.state(SPACE)).vectors).toBe(1);
    });

    it("retire deletes only unused spaces", async () => {
      await vectors.note(SPACE, { position: position("1"), sessions: [A] }, AT);
      await vectors.note(OTHER, { position: position("1"), sessions: [] }, new Date(AT.getTime() + 1));
      for (const space of [SPACE, OTHER]) await vectors.put(space, A, [at(1, 1, 0)]);
      await vectors.retire(new Date(AT.getTime() + 1));
      expect(await vectors.state(SPACE)).toEqual({ position: undefined, pending: 0, vectors: 0 });
      expect(await vectors.state(OTHER)).toEqual({ position: "1", pending: 0, vectors: 1 });
    });

    it.skipIf(harness.reopen === undefined)("shares its content with another opener, also after it is closed", async () => {
      await vectors.put(SPACE, A, [at(1, 1, 0.5)]);
      await vectors.note(SPACE, { position: position("7"), sessions: [B] }, AT);
      const other = (await harness.reopen?.()) as VectorEngine;
      await vectors.close();
      await vectors.close();
      try {
        expect(await other.state(SPACE)).toEqual({ position: "7", pending: 1, vectors: 1 });
        expect((await other.nearest(SPACE, { vector: Float32Array.of(1, 0.5), limit: 1 }))[0]?.similarity).toBeCloseTo(1, 6);
      } finally {
        await other.close();
      }
    });
  });
}

const DIMENSIONS = 7;
let spaces = 0;

const someVectors = fc.array(
  fc
    .array(fc.integer({ min: -9, max: 9 }), { minLength: DIMENSIONS, maxLength: DIMENSIONS })
    .filter((numbers) => numbers.some(Boolean))
    .map((numbers) => Float32Array.from(numbers)),
  { minLength: 2, maxLength: 30 },
);

function id(number: number): CheckpointId {
  return parseCheckpointId(`checkpoint-${String(number).padStart(4, "0")}`);
}

function at(number: number, ...numbers: readonly number[]): CheckpointVector {
  return { checkpointId: id(number), project: undefined, vector: Float32Array.from(numbers) };
}

function position(text: string): ChangePosition {
  return text as ChangePosition;
}
