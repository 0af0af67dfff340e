import type { CountTokens } from "@workrail/core";

/** More characters per token than most texts have. */
const CHARACTERS_A_TOKEN = 8;
/** Upper bound of the extra tokens that a cut inside a word causes. */
const CUT_COST = 8;
const LONGEST_WORD = 40;

/**
 * True when the beginning of a text proves that it has more than `tokens` tokens, so that a long text need not be counted as a
 * whole. Tokens never extend past the space after a word, so the tokens of a part that ends there are the first tokens of the
 * whole. `false` proves nothing.
 */
export function surelyExceeds(text: string, tokens: number, count: CountTokens): boolean {
  const length = (Math.max(0, tokens) + CUT_COST) * CHARACTERS_A_TOKEN;
  if (text.length < length * 2) return false;
  return count(beginningOf(text, length)) - CUT_COST > tokens;
}

function beginningOf(text: string, length: number): string {
  for (let end = length; end > length - LONGEST_WORD && end > 0; end--) {
    if (text.charAt(end) === " " && /[a-z]/i.test(text.charAt(end - 1))) return text.slice(0, end);
  }
  return text.slice(0, length);
}
