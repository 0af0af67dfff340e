import { estimateTokens } from "@workrail/core";

/** Estimates are up to a tenth too low. */
const SAFETY = 1.1;

/** Tokens of a text without a tokenizer, which takes longer to load than a hook may take. */
export function estimated(text: string): number {
  return Math.ceil(estimateTokens(text) * SAFETY);
}
