import { classifyContext, type ClassifyPorts, type CompiledRules, type CompressionStrategy, type Context } from "@workrail/core";
import { condenseSteps } from "../condense/condense-value.ts";
import { reduceSteps } from "../condense/reduce-value.ts";
import { STRATEGIES, type StrategyName } from "../condense/strategies.ts";
import type { ViewHow } from "./build-view.ts";

const EXTRACT = ["reduce", "anchor", "select"] as const;
const STEPS: Readonly<Record<Exclude<CompressionStrategy, "reduce">, readonly StrategyName[]>> = {
  auto: STRATEGIES,
  extract: EXTRACT,
  telegraph: [...EXTRACT, "telegraph"],
  summary: [...EXTRACT, "hierarchy"],
  progressive: [...EXTRACT, "progressive"],
};

export interface ViewWish {
  /** Keys marked critical in the session. */
  readonly pins: readonly string[];
  readonly rules?: CompiledRules | undefined;
  readonly focus?: string | undefined;
  /** Default `auto`. */
  readonly strategy?: CompressionStrategy | undefined;
}

/** Returns the options for a view whose entries may be shortened. */
export async function howToView(
  ports: ClassifyPorts,
  context: Context,
  { pins, rules, focus, strategy = "auto" }: ViewWish,
): Promise<ViewHow> {
  const how = { classifications: await classifyContext(ports, context, { pins, rules }), focus, shares: rules?.rules.budgets };
  if (strategy === "reduce") return { ...how, reduce: reduceSteps };
  const strategies = STEPS[strategy];
  return { ...how, shorten: (value, room, count) => condenseSteps(value, room, { count, focus, strategies }) };
}
