import { isStopWord } from "./words.ts";

/**
 * A sentence in the style of a telegram: without the words that say little. Negations, numbers and names stay, and so
 * does everything that is no plain word.
 */
export function telegraph(text: string): string {
  if (looksLikeCode(text)) return text;
  const kept = text.split(" ").filter((word) => word !== "" && !isSpare(word));
  // Nothing but such words: "as you like" still says something.
  return kept.some((word) => /[\p{L}\p{N}]/u.test(word)) ? kept.join(" ") : text;
}

/** Punctuation around a word goes with it, but not the end of a sentence that is written on. */
function isSpare(word: string): boolean {
  const bare = word.replace(/^["'([*_]+/u, "").replace(/["')\]*_,.!?:;]+$/u, "");
  if (bare === "" || !/^[\p{L}'’]+$/u.test(bare)) return false;
  // "IT", "US" and the like are names.
  if (bare.length > 1 && bare === bare.toUpperCase() && bare !== "OK") return false;
  return isStopWord(bare);
}

/** In code `if`, `for` and `in` say much. */
function looksLikeCode(text: string): boolean {
  const signs = text.match(/[{}()[\]=<>;|$`\\]/gu)?.length ?? 0;
  return signs >= 3 && signs * 12 > text.length;
}
