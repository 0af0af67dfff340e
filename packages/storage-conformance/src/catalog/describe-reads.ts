import type { Read } from "@workrail/core";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { StorageHarness } from "../harness.ts";
import type { ConformanceOptions } from "../options.ts";
import { someReads } from "./some-read.ts";
import { someStep, take } from "./some-step.ts";
import { Twin } from "./twin.ts";

/** Changes that fill the store. */
const STEPS = 150;

/** Tests that every kind of read, and each condition, is answered as core's rows in memory answer it. */
export function describeReads(harness: StorageHarness, { runs, seed }: Required<ConformanceOptions>): void {
  const count = Math.max(100, Math.ceil(runs / 4));

  describe("reads", () => {
    let twin: Twin;
    const reads = someReads((sessionId, id) => twin.refOf(sessionId, id));
    beforeAll(async () => {
      twin = await Twin.create(harness);
      const steps = fc.sample(someStep, { numRuns: STEPS, seed });
      for (const step of steps) await take(twin, step);
    });
    afterAll(() => twin.destroy());

    /** Reads many at once, as of one moment. */
    const ask = async (some: fc.Arbitrary<Read>): Promise<readonly unknown[]> => {
      const asked = fc.sample(some, { numRuns: count, seed });
      const answers = await twin.read(Object.fromEntries(asked.map((read, index) => [`read ${index}`, read])));
      return Object.values(answers);
    };

    it.each(Object.entries(reads.kinds))("of %s", async (_, some) => {
      expect(await ask(some)).toHaveLength(count);
    });

    it.each(Object.entries(reads.conditions))("of checkpoints by %s", async (_, some) => {
      const answers = await ask(some);
      expect(new Set(answers.map((answer) => JSON.stringify(answer))).size, "different answers").toBeGreaterThan(1);
    });
  });
}
