import type { Bench } from "../bench.ts";
import { runWorker } from "../run-worker.ts";
import type { PruningResult } from "../tasks/time-pruning.ts";
import { KB } from "./library.ts";

export interface PruneResult {
  readonly limit: number;
  readonly contextBytes: number;
  readonly sides: PruningResult;
}

const LIMIT = 100;

/** Measures saves in a session at its limit, beside the same saves without pruning. */
export async function measurePruning(bench: Bench): Promise<PruneResult> {
  const saves = bench.quick ? 3 * LIMIT : 10 * LIMIT;
  bench.say(`prune: ${saves} saves with the limit at ${LIMIT}, without one, and in a session each`);
  const directories = { limit: bench.fresh("limit"), "no limit": bench.fresh("no-limit"), "a session each": bench.fresh("each") };
  const sides = await runWorker("timePruning", { directories, saves, limit: LIMIT, bytes: 10 * KB });
  return { limit: LIMIT, contextBytes: 10 * KB, sides };
}
