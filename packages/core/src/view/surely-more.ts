import type { CountTokens } from "../ports/environment.ts";

/** More characters than most texts have in a token. */
const CHARACTERS_A_TOKEN = 8;
/** What a cut within a word can make too many, and more. */
const CUT_COST = 8;
const LONGEST_WORD = 40;

/**
 * Whether a text has more tokens than so many, told by its beginning: a long text that is far too large need not be
 * counted as a whole to know that. Tokens never reach over the space behind a word, so those of a part that ends there are the first of
 * the whole. `false` tells nothing.
 */
export function surelyMore(text: string, tokens: number, count: CountTokens): boolean {
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
