import type { Comparison } from "../alternate.ts";
import type { Bench } from "../bench.ts";
import { runWorker } from "../run-worker.ts";
import { KB } from "./library.ts";

/** Measures compressing 100 KB, without storing it. */
export async function measureCodec(bench: Bench): Promise<Comparison> {
  bench.say("codec: 100 KB");
  return runWorker("compareCodec", { bytes: 100 * KB, effort: bench.effort(0.5) });
}
