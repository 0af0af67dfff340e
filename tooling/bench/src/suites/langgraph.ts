import type { Bench } from "../bench.ts";
import { runWorker } from "../run-worker.ts";
import type { LanggraphResult } from "../tasks/compare-langgraph.ts";

/** Measures the saver for LangGraph beside LangGraph's own for SQLite: a thread of 200 steps of 100 to 200 KB. */
export async function measureLanggraph(bench: Bench): Promise<LanggraphResult> {
  bench.say("langgraph: 200 steps");
  return runWorker("compareLanggraph", { directory: bench.fresh("langgraph"), effort: bench.effort(0.2) });
}
