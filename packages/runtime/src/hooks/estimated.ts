import { estimateTokens } from "@workrail/core";

/** Fitted on packs of recorded sessions, so that the result is at least what the o200k tokenizer counts: core's estimate is low for numbers and code. */
const OF_CODE = 1.09;
const OF_DIGIT = 0.6;

/** Tokens of a text without a tokenizer, which takes longer to load than a hook may take. */
export function estimated(text: string): number {
  const digits = text.match(/\d/gu)?.length ?? 0;
  return Math.ceil(estimateTokens(text) * OF_CODE + digits * OF_DIGIT);
}
