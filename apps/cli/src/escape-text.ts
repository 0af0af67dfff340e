/**
 * What a terminal would obey instead of showing it: control characters, marks that reorder the text around them, line
 * separators; and lone surrogates, which have no UTF-8 form.
 */
const UNSAFE = /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** Makes stored text safe to be shown on one line of a terminal. */
export function escapeText(text: string): string {
  return text.replace(UNSAFE, escape);
}

/** Makes JSON text safe to be shown on a terminal. What it says stays the same: the escapes are JSON's own. */
export function escapeJson(text: string): string {
  // A line feed can only be layout: inside a string it is already escaped.
  return text.replace(UNSAFE, (character) => (character === "\n" ? character : escape(character)));
}

function escape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
