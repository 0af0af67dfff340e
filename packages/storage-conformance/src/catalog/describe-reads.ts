import type { CheckpointId, Read } from "@workrail/core";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { StorageHarness } from "../harness.ts";
import type { ConformanceOptions } from "../options.ts";
import { someReads } from "./some-read.ts";
import { EDGES, HOLDERS, IDS, sessionOf, someStep, type Step, take } from "./some-step.ts";
import { Twin } from "./twin.ts";

/** Changes that fill the store, before those that leave rows in each table. */
const STEPS = 150;
const AT = new Date("2026-01-01T00:00:10.000Z");
const LAST_STEPS: readonly Step[] = [
  { step: "commit", change: { edges: { add: EDGES, drop: [] }, audit: [] }, hasBlob: true },
  ...[3, 7].map((index) => moving(index, "nowhere", true)),
  moving(11, "nowhere", false),
  ...[6, 10].map((index) => moving(index, "trash", false)),
  ...HOLDERS.map((holder) => ({ step: "hold", holder, until: undefined }) as const),
  { step: "reclaim", ids: [IDS[11] as CheckpointId] },
  ...HOLDERS.map((holder) => ({ step: "hold", holder, until: AT }) as const),
];

function moving(index: number, to: "trash" | "nowhere", erases: boolean): Step {
  const id = IDS[index] as CheckpointId;
  const move = { sessionId: sessionOf(id), checkpoints: [id], at: AT, reason: "test", from: "live", to, erases } as const;
  return { step: "commit", change: { move, audit: [] }, hasBlob: true };
}

/** Tests that every kind of read, and each condition, is answered as core's rows in memory answer it. */
export function describeReads(harness: StorageHarness, { runs, seed }: Required<ConformanceOptions>): void {
  const count = Math.max(100, Math.ceil(runs / 4));

  describe("reads", () => {
    let twin: Twin;
    const reads = someReads((sessionId, id) => twin.refOf(sessionId, id));
    beforeAll(async () => {
      twin = await Twin.create(harness);
      const steps = fc.sample(someStep, { numRuns: STEPS, seed });
      for (const step of [...steps, ...LAST_STEPS]) await take(twin, step);
    });
    afterAll(() => twin.destroy());

    /** Reads many at once, as of one moment. */
    const ask = async (some: fc.Arbitrary<Read>): Promise<readonly unknown[]> => {
      const asked = fc.sample(some, { numRuns: count, seed });
      const answers = await twin.read(Object.fromEntries(asked.map((read, index) => [`read ${index}`, read])));
      return Object.values(answers);
    };

    it.each(Object.entries(reads.kinds))("of %s", async (kind, some) => {
      const answers = await ask(some);
      expect(kind === "mark" || kind === "contradictions" || answers.some(isSomething)).toBe(true);
    });

    it.each(Object.entries(reads.conditions))("of checkpoints by %s", async (_, some) => {
      const answers = await ask(some);
      expect(new Set(answers.map((answer) => JSON.stringify(answer))).size, "different answers").toBeGreaterThan(1);
    });
  });
}

/** False for an answer without any row. */
function isSomething(answer: unknown): boolean {
  return Array.isArray(answer) ? answer.length > 0 : Boolean(answer);
}
