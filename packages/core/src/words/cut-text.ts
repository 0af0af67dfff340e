/** True when a cut at this place would split a surrogate pair. */
export function splitsPair(text: string, at: number): boolean {
  if (at <= 0 || at >= text.length) return false;
  return (text.charCodeAt(at - 1) & 0xfc00) === 0xd800 && (text.charCodeAt(at) & 0xfc00) === 0xdc00;
}

/** Returns the beginning of a text, at most `length` long, without splitting a character. */
export function cutText(text: string, length: number): string {
  return text.slice(0, splitsPair(text, length) ? length - 1 : length);
}
