import { classifyContext, type ClassifyPorts, type CompiledRules, type CompressionStrategy, type Context } from "@workrail/core";
import { condenseSteps } from "../condense/condense-value.ts";
import { reduceSteps } from "../condense/reduce-value.ts";
import { STRATEGIES, type StrategyName } from "../condense/strategies.ts";
import type { ViewOptions } from "./build-view.ts";

const EXTRACT = ["reduce", "anchor", "select"] as const;
const STEPS: Readonly<Record<Exclude<CompressionStrategy, "reduce">, readonly StrategyName[]>> = {
  auto: STRATEGIES,
  extract: EXTRACT,
  telegraph: [...EXTRACT, "telegraph"],
  summary: [...EXTRACT, "hierarchy"],
  progressive: [...EXTRACT, "progressive"],
};

export interface ShapeOptions {
  /** Keys marked critical in the session. */
  readonly pins: readonly string[];
  readonly rules?: CompiledRules | undefined;
  readonly focus?: string | undefined;
  /** Default `auto`. */
  readonly strategy?: CompressionStrategy | undefined;
}

/** Returns the options for a view whose entries may be shortened. */
export async function viewOptionsOf(
  ports: ClassifyPorts,
  context: Context,
  { pins, rules, focus, strategy = "auto" }: ShapeOptions,
): Promise<ViewOptions> {
  const options = { classifications: await classifyContext(ports, context, { pins, rules }), focus, shares: rules?.rules.budgets };
  if (strategy === "reduce") return { ...options, reduce: reduceSteps };
  const strategies = STEPS[strategy];
  return { ...options, shorten: (value, room, count) => condenseSteps(value, room, { count, focus, strategies }) };
}
