import { isStopWord } from "../condense/words.ts";
import type { Entry } from "./entry.ts";

const WORD = /[\p{L}\p{N}]{2,}/gu;
/** A prefix matches other forms of a word: `redirect` matches `redirects` and `redirected`. */
const STEM_LENGTH = 6;

/** Factor on the room: an entry with all words of the focus gets 1 + this times the room of an entry with none. */
export const RELEVANCE_WEIGHT = 4;

/**
 * Returns a function that rates entries by the focus: the share of its significant words that key or value contain, from 0 to 1.
 * Always 0 without a focus.
 */
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

/** True when a word starts with the stem. */
function hasWord(text: string, stem: string): boolean {
  for (let at = text.indexOf(stem); at >= 0; at = text.indexOf(stem, at + 1)) {
    if (at === 0 || !INSIDE_WORD.test(text.charAt(at - 1))) return true;
  }
  return false;
}
