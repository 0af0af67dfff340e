import * as fc from "fast-check";
import { it } from "vitest";
import type { StorageHarness } from "../harness.ts";
import type { ConformanceOptions } from "../options.ts";
import { someStep, take } from "./some-step.ts";
import { Twin } from "./twin.ts";

/** Tests that rows after any changes are those that core's rules decided. */
export function describeChanges(harness: StorageHarness, { runs, seed }: Required<ConformanceOptions>): void {
  const histories = Math.ceil(runs / 20);
  it(`holds exactly the decided rows, after each change of ${histories} random histories`, { timeout: 600_000 }, () =>
    fc.assert(
      fc.asyncProperty(fc.array(someStep, { minLength: 10, maxLength: 50 }), (steps) =>
        Twin.with(harness, async (twin) => {
          for (const step of steps) {
            await take(twin, step);
            await twin.proveRows();
          }
          await twin.prove();
          await take(twin, { step: "reopen" });
          await twin.prove();
        }),
      ),
      { numRuns: histories, seed },
    ),
  );
}
