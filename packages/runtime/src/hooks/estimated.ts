import { estimateTokens } from "@workrail/core";

/** Fitted on packs of recorded sessions, so that the result is at least what the o200k tokenizer counts: core's estimate is low for numbers and code. */
const OF_CODE = 1.09;
const OF_DIGIT = 0.6;
/** Rare scripts, arrows, lines of tables, emoji and halves of characters have no tokens of their own, and take up to four tokens a character. */
const RARE = /[\u0700-\u08ff\u0e80-\u0fff\u1200-\u1dff\u2070-\u2bff\u3400-\u4dbf\ua000-\uabff\ud7b0-\ufeff]|[\u{10000}-\u{10ffff}]/gu;
const OF_RARE = 2.25;

/** Tokens of a text without a tokenizer, which takes longer to load than a hook may take. */
export function estimated(text: string): number {
  const digits = text.match(/\d/gu)?.length ?? 0;
  const rare = text.match(RARE)?.length ?? 0;
  return Math.ceil(estimateTokens(text) * OF_CODE + digits * OF_DIGIT + rare * OF_RARE);
}
