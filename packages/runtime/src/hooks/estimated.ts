import { estimateTokens } from "@workrail/core";

/** Estimates are up to a fifth too low in texts with many paths and figures. */
const SAFETY = 1.25;

/** Tokens of a text without a tokenizer, which takes longer to load than a hook may take. */
export function estimated(text: string): number {
  return Math.ceil(estimateTokens(text) * SAFETY);
}
