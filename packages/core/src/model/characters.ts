/**
 * Tells whether a text has at most `most` characters. A character is a Unicode code point: most emoji are one, a letter with a
 * combining mark is two. Takes time proportional to `most`, not to the length of the text.
 */
export function hasAtMost(most: number, text: string): boolean {
  // A code point has one or two UTF-16 units.
  if (text.length <= most) return true;
  if (text.length > most * 2) return false;
  return Array.from(text).length <= most;
}

/** Returns the first `most` characters of a text. */
export function firstCharacters(most: number, text: string): string {
  return hasAtMost(most, text)
    ? text
    : Array.from(text.slice(0, most * 2))
        .slice(0, most)
        .join("");
}
