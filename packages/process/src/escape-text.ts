/**
 * Characters that a terminal would obey instead of showing: control characters, bidirectional marks, line separators; and lone surrogates,
 * which have no UTF-8 form.
 */
const UNSAFE = /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** Makes stored text safe to show on one line of a terminal. */
export function escapeText(text: string): string {
  return text.replace(UNSAFE, escape);
}

/** Makes JSON text safe to show on a terminal. Its value stays the same: the escapes are those of JSON. */
export function escapeJson(text: string): string {
  // A line feed can only be layout: inside a string it is already escaped.
  return text.replace(UNSAFE, (character) => (character === "\n" ? character : escape(character)));
}

/** Start of the colour sequences that we write. */
const ESCAPE = "\u001b";
const STYLES = new RegExp(`${ESCAPE}\\[[0-9;]*m`, "u");
const UNSAFE_OR_STYLE = new RegExp(`${STYLES.source}|${UNSAFE.source}`, "gu");

/**
 * Makes a whole output safe for a terminal: lines, tabs and colours stay. Output written for a terminal is already escaped piece by piece.
 */
export function escapeOutput(text: string): string {
  return text.replace(UNSAFE_OR_STYLE, (found) => (found === "\n" || found === "\t" || STYLES.test(found) ? found : escape(found)));
}

function escape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
