/**
 * Whether a text has at most so many characters. A character is a code point of Unicode: most emoji are one, and a letter with a
 * combining mark is two. Takes no longer for a text of any length than for one of that many characters.
 */
export function hasAtMost(most: number, text: string): boolean {
  // A code point has one or two units.
  if (text.length <= most) return true;
  if (text.length > most * 2) return false;
  return Array.from(text).length <= most;
}

/** The beginning of a text, of so many characters. */
export function firstCharacters(most: number, text: string): string {
  return hasAtMost(most, text)
    ? text
    : Array.from(text.slice(0, most * 2))
        .slice(0, most)
        .join("");
}
