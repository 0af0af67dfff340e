import type { Comparison } from "../alternate.ts";
import type { Bench } from "../bench.ts";
import { runWorker } from "../run-worker.ts";
import { CONTEXT_OPERATIONS, type ContextOperation } from "../tasks/compare-context.ts";
import { KB, label, MB } from "./library.ts";

export interface ContextRow extends Comparison {
  readonly operation: ContextOperation;
  readonly contextBytes: number;
}

/** Measures fitting contexts into a budget, step by step, without storing anything. */
export async function measureContext(bench: Bench): Promise<readonly ContextRow[]> {
  const rows: ContextRow[] = [];
  for (const contextBytes of [100 * KB, MB]) {
    for (const operation of CONTEXT_OPERATIONS) {
      bench.say(`context: ${operation} ${label(contextBytes)}`);
      const effort = { ...bench.effort(), most: 200 };
      rows.push({ operation, contextBytes, ...(await runWorker("compareContext", { operation, bytes: contextBytes, effort })) });
    }
  }
  return rows;
}
