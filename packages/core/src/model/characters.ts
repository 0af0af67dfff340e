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

/** True when a cut at this place would split a surrogate pair. */
export function splitsPair(text: string, at: number): boolean {
  if (at <= 0 || at >= text.length) return false;
  return (text.charCodeAt(at - 1) & 0xfc00) === 0xd800 && (text.charCodeAt(at) & 0xfc00) === 0xdc00;
}

/** Returns the beginning of a text, at most `length` long, without splitting a character. */
export function cutText(text: string, length: number): string {
  return text.slice(0, splitsPair(text, length) ? length - 1 : length);
}
