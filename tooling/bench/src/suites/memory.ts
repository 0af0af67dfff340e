import type { Bench } from "../bench.ts";
import { runWorker } from "../run-worker.ts";
import { KB, label, MB } from "./library.ts";

export interface MemoryRow {
  readonly operation: "save" | "load";
  readonly contextBytes: number;
  /** Number of operations in each process. */
  readonly count: number;
  /** Peak memory of a process that only creates the context. */
  readonly nothing: number;
  readonly floor: number;
  readonly library: number;
}

const COUNTS = [
  [KB, 200],
  [100 * KB, 50],
  [MB, 20],
  [10 * MB, 5],
] as const;

/** Measures the peak memory of a process that does only one thing. */
export async function measureMemory(bench: Bench): Promise<readonly MemoryRow[]> {
  const rows: MemoryRow[] = [];
  for (const [bytes, count] of bench.quick ? COUNTS.slice(1, 3) : COUNTS) {
    bench.say(`memory: ${label(bytes)}`);
    const directory = bench.fresh("alone");
    for (const operation of ["save", "load"] as const) {
      const peak = async (side: "nothing" | "floor" | "library"): Promise<number> =>
        (await runWorker("repeatAlone", { directory, operation, side, bytes, count })).peakBytes;
      const about = { operation, contextBytes: bytes, count };
      rows.push({ ...about, nothing: await peak("nothing"), floor: await peak("floor"), library: await peak("library") });
    }
  }
  return rows;
}
