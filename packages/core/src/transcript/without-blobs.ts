/** In a URL that says that it is base64. */
const SHORTEST_IN_URL = 64;
/** Anywhere else: so long that it can be nothing else. */
const SHORTEST = 1_000;

/**
 * Bytes written as letters are of no use to a reader: what they are, and how many, stands in their place.
 *
 * Runs are looked for by hand: an expression that may go back takes memory for each of millions of characters.
 */
export function withoutBlobs(text: string): string {
  const pieces: string[] = [];
  let done = 0;
  for (let at = 0; at < text.length; at++) {
    const end = endOfRun(text, at);
    if (end - at >= SHORTEST_IN_URL) {
      const [url, type] = /data:([\w/+.-]{1,100})(?:;[\w=-]{1,100}){0,5};base64,$/u.exec(text.slice(Math.max(0, at - 500), at)) ?? [];
      const start = at - (url?.length ?? 0);
      if (url !== undefined || (end - at >= SHORTEST && isBase64(text.slice(at, end)))) {
        pieces.push(text.slice(done, start), `[${type === undefined ? "" : `${type}, `}${end - start} characters of base64]`);
        done = end;
      }
    }
    at = Math.max(at, end - 1);
  }
  return pieces.length === 0 ? text : [...pieces, text.slice(done)].join("");
}

/** Where the characters of base64 end that begin here. */
function endOfRun(text: string, start: number): number {
  let end = start;
  while (BASE64.has(text.charCodeAt(end))) end += 1;
  if (end > start) while (text.charCodeAt(end) === PADDING) end += 1;
  return end;
}

const PADDING = "=".charCodeAt(0);
const BASE64: ReadonlySet<number> = new Set(
  Array.from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_", (character) => character.charCodeAt(0)),
);

/** Small and capital letters and digits, all mixed: neither words nor a ruler. */
function isBase64(text: string): boolean {
  return /[a-z]/u.test(text) && /[A-Z]/u.test(text) && /[0-9]/u.test(text);
}
