import type { Bench } from "../bench.ts";
import { runWorker } from "../run-worker.ts";
import type { MeaningResult } from "../tasks/compare-meaning.ts";

export interface MeaningRow extends MeaningResult {
  readonly vectors: number;
  readonly dimensions: number;
}

const VECTORS = 10_000;
/** Dimensions of `all-minilm` and `nomic-embed-text`. */
const DIMENSIONS = [384, 768];

/** Measures finding the nearest vectors, for models that people run locally. */
export async function measureMeaning(bench: Bench): Promise<readonly MeaningRow[]> {
  const rows: MeaningRow[] = [];
  for (const dimensions of DIMENSIONS) {
    bench.say(`meaning: ${VECTORS} vectors of ${dimensions} numbers`);
    const input = { dataDir: bench.fresh(`meaning-${dimensions}`), vectors: VECTORS, dimensions, effort: bench.effort(0.3) };
    rows.push({ vectors: VECTORS, dimensions, ...(await runWorker("compareMeaning", input)) });
  }
  return rows;
}
