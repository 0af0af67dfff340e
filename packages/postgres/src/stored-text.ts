/**
 * The database cannot hold the character 0 or half of a surrogate pair, which a JavaScript text may have. Each is stored as `MARK` and
 * its four hexadecimal digits, and so is `MARK` itself, a character for private use.
 */
const MARK = "\uE000";

const NOT_STORABLE = /[\0\uE000]|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;
const MARKED = /\uE000([0-9a-f]{4})/g;

/** Makes a text that the database can hold. */
export function storedText(text: string): string {
  if (text.isWellFormed() && !text.includes("\0") && !text.includes(MARK)) return text;
  return text.replace(NOT_STORABLE, (character) => MARK + character.charCodeAt(0).toString(16).padStart(4, "0"));
}

/** True for a text that is stored in another form. */
export function isMarked(text: string): boolean {
  return text.includes(MARK);
}

/** Returns the text that was stored. */
export function restoredText(text: string): string {
  return isMarked(text) ? text.replace(MARKED, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16))) : text;
}
