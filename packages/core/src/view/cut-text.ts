/** Whether a cut at this place would tear a surrogate pair, and with it a character, apart. */
export function splitsPair(text: string, at: number): boolean {
  if (at <= 0 || at >= text.length) return false;
  return (text.charCodeAt(at - 1) & 0xfc00) === 0xd800 && (text.charCodeAt(at) & 0xfc00) === 0xdc00;
}

/** The beginning of a text, at most so long, that ends on a whole character. */
export function cutText(text: string, length: number): string {
  return text.slice(0, splitsPair(text, length) ? length - 1 : length);
}
