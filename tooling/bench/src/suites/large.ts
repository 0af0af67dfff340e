import type { Bench } from "../bench.ts";
import { runWorker } from "../run-worker.ts";
import type { LargeSide } from "../tasks/keep-large.ts";
import { MB } from "./library.ts";

export interface LargeResult {
  readonly bytes: number;
  readonly json: LargeSide;
  readonly library: LargeSide;
}

/** One context of 200 MB, saved and loaded: its memory, and how long other work has to wait. Each side has a process of its own. */
export async function measureLarge(bench: Bench): Promise<LargeResult> {
  const bytes = bench.quick ? 20 * MB : 200 * MB;
  bench.say(`large: a context of ${bytes / MB} MB`);
  const of = (side: "json" | "library"): Promise<LargeSide> => runWorker("keepLarge", { dataDir: bench.fresh("large"), side, bytes });
  return { bytes, json: await of("json"), library: await of("library") };
}
