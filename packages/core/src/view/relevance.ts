import { isStopWord } from "../condense/words.ts";
import type { Entry } from "./entry.ts";

const WORD = /[\p{L}\p{N}]{2,}/gu;
/** A word's beginning finds its other forms: `redirect` finds `redirects` and `redirected`. */
const STEM_LENGTH = 6;

/** An entry with all the words of the focus gets so many times more room than one with none. */
export const RELEVANCE_WEIGHT = 4;

/** How much of a focus an entry speaks of: the share of its words that say something, from 0 to 1, that key or value has. 0 without a focus. */
export function relevanceOf(entries: readonly Entry[], focus: string | undefined): (entry: Entry) => number {
  const stems = [
    ...new Set(
      (focus ?? "")
        .toLowerCase()
        .match(WORD)
        ?.filter((word) => !isStopWord(word))
        .map((word) => word.slice(0, STEM_LENGTH)),
    ),
  ];
  if (stems.length === 0) return () => 0;
  const found = new Map(
    entries.map((entry) => {
      const text = `${entry.key} ${entry.savedJson}`.toLowerCase();
      return [entry, stems.filter((stem) => hasWord(text, stem)).length / stems.length];
    }),
  );
  return (entry) => found.get(entry) ?? 0;
}

const INSIDE_WORD = /[\p{L}\p{N}]/u;

/** Whether a word begins so. */
function hasWord(text: string, stem: string): boolean {
  for (let at = text.indexOf(stem); at >= 0; at = text.indexOf(stem, at + 1)) {
    if (at === 0 || !INSIDE_WORD.test(text.charAt(at - 1))) return true;
  }
  return false;
}
