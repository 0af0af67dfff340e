import { COMPRESSION_STRATEGIES, invalidInput, isJsonObject, LAYERS } from "@workrail/core";
import type { CompressContextParams, PrioritizeContextParams, ViewCheckpointParams } from "./context-management-service.ts";
import { checkCount } from "./project-checkpoints/project-draft.ts";

/**
 * Checks the parameters that fit a context to a size. A wrong value would leave everything out and look like success.
 *
 * @throws INVALID_INPUT naming the field.
 */
export function checkShape({
  budgetTokens,
  keys,
  range,
  strategy,
  layers,
  budgets,
}: Pick<ViewCheckpointParams, "budgetTokens" | "keys" | "range"> &
  Pick<CompressContextParams, "strategy" | "layers"> &
  Pick<PrioritizeContextParams, "budgets">): void {
  if (budgetTokens !== undefined) checkCount("budgetTokens", budgetTokens, { least: 1 });
  if (keys !== undefined && !isListOf(keys, isEntryPath)) throw invalid("keys", "a list of names and paths");
  if (range !== undefined && !isJsonObject(range)) throw invalid("range", "an object with offset and limit");
  if (strategy !== undefined && !COMPRESSION_STRATEGIES.includes(strategy)) {
    throw invalid("strategy", `one of ${COMPRESSION_STRATEGIES.join(", ")}`);
  }
  if (layers !== undefined && !isListOf(layers, isLayer)) throw invalid("layers", `a list of ${LAYERS.join(", ")}`);
  if (budgets !== undefined) checkBudgets(budgets);
}

function checkBudgets(budgets: NonNullable<PrioritizeContextParams["budgets"]>): void {
  const given: unknown = budgets;
  if (!isJsonObject(given) || !Object.keys(given).every(isLayer)) throw invalid("budgets", `an object with ${LAYERS.join(", ")}`);
  for (const [layer, tokens] of Object.entries(budgets)) {
    if (tokens !== undefined) checkCount(`budgets.${layer}`, tokens, { least: 0 });
  }
}

function isEntryPath(given: unknown): boolean {
  return typeof given === "string" || isListOf(given, (part) => typeof part === "string" || typeof part === "number");
}

function isLayer(given: unknown): boolean {
  return LAYERS.some((layer) => layer === given);
}

function isListOf(given: unknown, isItem: (item: unknown) => boolean): boolean {
  return Array.isArray(given) && given.length > 0 && given.every(isItem);
}

function invalid(field: string, rule: string): Error {
  return invalidInput(field, `${field} must be ${rule}.`, `Correct ${field}, or leave it out.`);
}
