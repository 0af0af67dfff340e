import { gzipSync } from "node:zlib";
import { wordClassifier } from "@workrail/classifier";
import type { Context } from "@workrail/core";
import { compressContext, reduceValue, type ViewBudget } from "@workrail/views";
import { tokenCounter } from "@workrail/runtime";
import { alternate, type Call, type Comparison, type Effort } from "../alternate.ts";
import { generateContext } from "../generate-context.ts";

export const CONTEXT_OPERATIONS = ["classify", "count tokens", "reduce", "compress"] as const;

export type ContextOperation = (typeof CONTEXT_OPERATIONS)[number];

export interface ContextInput {
  readonly operation: ContextOperation;
  readonly bytes: number;
  readonly effort: Effort;
}

interface Sample {
  readonly sample: number;
  readonly context: Context;
  readonly json: string;
}

/** Defaults of the tool: 2,000 tokens wanted, of the 10,000 of an answer. */
const BUDGET: ViewBudget = {
  wanted: { tokens: 2_000, characters: 45_000 },
  ceiling: { tokens: 10_000, characters: 45_000 },
  of: "context",
};

/**
 * Compares one step from a context to a view with `JSON.stringify` and gzip of the same context. Each sample has its own context, because
 * token counts are cached.
 */
export async function compareContext({ operation, bytes, effort }: ContextInput): Promise<Comparison> {
  const tokens = tokenCounter("o200k");
  const count = await tokens.load();
  let current: Sample | undefined;
  const at = (sample: number): Sample => {
    if (current?.sample === sample) return current;
    const context = generateContext(bytes, sample + 1);
    return (current = { sample, context, json: JSON.stringify(context) });
  };
  const calls: Readonly<Record<ContextOperation, Call>> = {
    classify: (sample) => wordClassifier.classify(at(sample).context, Object.keys(at(sample).context)),
    "count tokens": (sample) => count(at(sample).json),
    reduce: (sample) => reduceValue(at(sample).context),
    compress: (sample) =>
      compressContext({ classifier: wordClassifier, tokens }, { context: at(sample).context, pins: [], budget: BUDGET }),
  };
  return alternate(effort, {
    floor: (sample) => gzipSync(JSON.stringify(at(sample).context), { level: 6 }),
    measured: calls[operation],
    before: at,
  });
}
