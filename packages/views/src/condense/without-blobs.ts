/** Shortest base64 in a data URL. */
const SHORTEST_IN_URL = 64;
const SURELY_BLOB = 1_000;

/**
 * Replaces base64 data by its type and length.
 *
 * Scans runs by hand, because a backtracking expression needs memory per character.
 *
 * @param shortest shortest unmarked run that counts as base64. Default: long enough to be nothing else.
 */
export function withoutBlobs(text: string, shortest: number = SURELY_BLOB): string {
  const pieces: string[] = [];
  let done = 0;
  for (let begin = beginOfRun(text, 0); begin < text.length;) {
    const end = endOfRun(text, begin);
    const [url, type] = URL_SO_FAR.exec(text.slice(Math.max(0, begin - LONGEST_URL_START), begin)) ?? [];
    if (url !== undefined || (end - begin >= shortest && isBase64(text, begin, end))) {
      const start = begin - (url?.length ?? 0);
      pieces.push(text.slice(done, start), `[${type === undefined ? "" : `${type}, `}${end - start} characters of base64]`);
      done = end;
    }
    begin = beginOfRun(text, end);
  }
  return pieces.length === 0 ? text : [...pieces, text.slice(done)].join("");
}

const URL_SO_FAR = /data:([\w/+.-]{1,100})(?:;[\w=-]{1,100}){0,5};base64,$/u;
const LONGEST_URL_START = 500;

/**
 * Returns the start of the next run long enough for a data URL, or the end of the text. Checking candidates from their end skips
 * most of a text.
 */
function beginOfRun(text: string, from: number): number {
  for (let begin = from; begin + SHORTEST_IN_URL <= text.length;) {
    let at = begin + SHORTEST_IN_URL - 1;
    while (at >= begin && isOfBase64(text.charCodeAt(at))) at -= 1;
    if (at < begin) return begin;
    begin = at + 1;
  }
  return text.length;
}

/** Returns the end of the run of base64 characters that starts here. */
function endOfRun(text: string, begin: number): number {
  let end = begin;
  while (isOfBase64(text.charCodeAt(end))) end += 1;
  while (text.charCodeAt(end) === PADDING) end += 1;
  return end;
}

const PADDING = "=".charCodeAt(0);
const BASE64: ReadonlySet<string> = new Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_");
const OF_BASE64: readonly boolean[] = Array.from({ length: 128 }, (_, code) => BASE64.has(String.fromCharCode(code)));

function isOfBase64(code: number): boolean {
  return OF_BASE64[code] === true;
}

/** True for a mix of lower-case letters, capitals and digits with few symbols: neither words nor a path. */
function isBase64(text: string, begin: number, end: number): boolean {
  const start = text.slice(begin, Math.min(end, begin + MOST_LOOKED_AT));
  const signs = start.match(/[/_-]/gu)?.length ?? 0;
  return /[a-z]/u.test(start) && /[A-Z]/u.test(start) && /[0-9]/u.test(start) && signs * LETTERS_A_SIGN < start.length;
}

const MOST_LOOKED_AT = 4_096;
/** Random base64 has one symbol per 32 characters; names in paths are shorter. */
const LETTERS_A_SIGN = 16;
