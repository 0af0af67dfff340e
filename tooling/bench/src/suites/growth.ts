import { type Bench, LARGE } from "../bench.ts";
import { runWorker } from "../run-worker.ts";
import type { GrowthMark } from "../tasks/grow-store.ts";
import { KB } from "./library.ts";

export interface GrowthResult {
  readonly contextBytes: number;
  readonly marks: readonly GrowthMark[];
  /** Milliseconds to build the catalog of 10,000 checkpoints from their files. */
  readonly rebuildMs: number;
}

const MARKS = [100, 1_000, LARGE];

/** Measures a checkpoint in a session that grows without a pause, and rebuilding a lost catalog. */
export async function measureGrowth(bench: Bench): Promise<GrowthResult> {
  const { rebuildMs } = await bench.largeStore();
  const contextBytes = 10 * KB;
  const marks = bench.quick ? MARKS.slice(0, 2) : MARKS;
  bench.say(`growth: up to ${marks.at(-1)} checkpoints, without a pause`);
  const grown = await runWorker("growStore", { dataDir: bench.fresh("grown"), sessionId: "session", bytes: contextBytes, marks });
  return { contextBytes, marks: grown, rebuildMs };
}
