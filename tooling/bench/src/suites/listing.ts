import type { Bench } from "../bench.ts";
import { LARGE_SESSION } from "../bench.ts";
import { runWorker } from "../run-worker.ts";
import type { ListingResult } from "../tasks/compare-listing.ts";

/** Measures a page of 20 among 10,000 checkpoints, before other suites add to that store. */
export async function measureListing(bench: Bench): Promise<ListingResult> {
  const { dataDir } = await bench.largeStore();
  bench.say("list: a page of 20 among 10,000");
  return runWorker("compareListing", { dataDir, sessionId: LARGE_SESSION, effort: bench.effort(0.5) });
}
