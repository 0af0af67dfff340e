import type { Comparison } from "../alternate.ts";
import type { Bench } from "../bench.ts";
import { runWorker } from "../run-worker.ts";
import { KB, label, MB } from "./library.ts";

export interface SealedRow extends Comparison {
  readonly operation: "save" | "load latest" | "load by id";
  readonly contextBytes: number;
}

const SIZES = [KB, 100 * KB, MB];

/** Measures the cost of sealing: saves and loads of a sealed store, compared with an unencrypted one. */
export async function measureSealed(bench: Bench): Promise<readonly SealedRow[]> {
  const rows: SealedRow[] = [];
  for (const contextBytes of SIZES) {
    bench.say(`sealed: ${label(contextBytes)}`);
    const [clearDir, sealedDir] = [bench.fresh("clear"), bench.fresh("sealed")];
    const result = await runWorker("compareSealed", { clearDir, sealedDir, bytes: contextBytes, effort: bench.effort(0.5) });
    rows.push(
      { operation: "save", contextBytes, ...result.save },
      { operation: "load latest", contextBytes, ...result.loadLatest },
      { operation: "load by id", contextBytes, ...result.loadById },
    );
  }
  return rows;
}
