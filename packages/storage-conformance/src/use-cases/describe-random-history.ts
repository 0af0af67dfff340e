import { it } from "vitest";
import { withChance } from "../chance.ts";
import type { StorageHarness } from "../harness.ts";
import type { ConformanceOptions } from "../options.ts";
import { RandomHistory } from "./random-history.ts";

/** Tests one long random history of one store, with faults when the harness can inject them. */
export function describeRandomHistory(harness: StorageHarness, { operations, seed }: Required<ConformanceOptions>): void {
  it(`agrees with a model through ${operations} random operations, some of which fail`, { timeout: 3_600_000 }, () =>
    withChance(seed, (chance) => RandomHistory.play(harness, chance, operations)),
  );
}
