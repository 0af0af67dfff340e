import type { TokenCounter } from "@workrail/core";
import type { CheckpointMetadata } from "./context-management-service.ts";
import { fitFields, type FittedFields } from "./fit-fields.ts";
import { flatMetadata, nestedMetadata } from "./flat-metadata.ts";
import type { Settings } from "./settings.ts";

/** Share of an answer for the checkpoint's description; the rest is for its content. */
const DESCRIPTION_SHARE = 2 / 5;
/** Lower bound of the description under a small budget, to keep checkpoints distinguishable. At most half of the budget. */
const LEAST_DESCRIPTION_TOKENS = 800;
/** Below this budget, tokens are reserved for the context: ids, digests and paths, useless to a model, are left out of the description. */
const SMALL_BUDGET_TOKENS = 600;
const SMALL_DESCRIPTION_SHARE = 1 / 8;
/** Fields of every description: each answer gives the time of the save as origin. */
const NEEDED = new Set(["createdAt"]);

interface FitParts {
  readonly settings: Settings;
  readonly tokens: TokenCounter;
}

/**
 * Fits a checkpoint's description into its share of an answer. Attributes are left out one by one, like fields.
 *
 * @param budgetTokens budget of the whole answer. Default and maximum: the ceiling.
 */
export async function fitDescription(
  parts: FitParts,
  description: Partial<CheckpointMetadata>,
  budgetTokens?: number,
): Promise<FittedFields<Partial<CheckpointMetadata>>> {
  const { fields, ...rest } = await fitFlat(parts, flatMetadata(description), budgetTokens);
  return { fields: nestedMetadata(fields), ...rest };
}

async function fitFlat({ settings, tokens }: FitParts, description: object, budgetTokens?: number): Promise<FittedFields<object>> {
  const most = Math.min(budgetTokens ?? settings.maxAnswerTokens, settings.maxAnswerTokens);
  if (most < SMALL_BUDGET_TOKENS) {
    const room = { tokens: Math.floor(most * SMALL_DESCRIPTION_SHARE), characters: settings.maxAnswerCharacters };
    return fitFields(description, { room, always: NEEDED, mostNamed: 0 }, tokens);
  }
  const room = {
    tokens: Math.floor(Math.max(most * DESCRIPTION_SHARE, Math.min(most / 2, LEAST_DESCRIPTION_TOKENS))),
    characters: Math.floor(settings.maxAnswerCharacters * DESCRIPTION_SHARE),
  };
  return fitFields(description, { room }, tokens);
}
