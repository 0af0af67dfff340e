import type { Bench } from "../bench.ts";
import { runWorker } from "../run-worker.ts";
import type { LargeSide } from "../tasks/keep-large.ts";
import { MB } from "./library.ts";

export interface LargeResult {
  readonly bytes: number;
  readonly json: LargeSide;
  readonly library: LargeSide;
}

/** Measures one context of 200 MB, saved and loaded: memory, and delay of other work. Each side has its own process. */
export async function measureLarge(bench: Bench): Promise<LargeResult> {
  const bytes = bench.quick ? 20 * MB : 200 * MB;
  bench.say(`large: a context of ${bytes / MB} MB`);
  const of = (side: "json" | "library"): Promise<LargeSide> => runWorker("keepLarge", { dataDir: bench.fresh("large"), side, bytes });
  return { bytes, json: await of("json"), library: await of("library") };
}
