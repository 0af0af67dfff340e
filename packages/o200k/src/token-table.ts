/** Tokens of the encoding, special ones aside. Their ranks are 0 to this number. */
export const TOKENS = 199_998;

/** Buckets that the tokens are sorted into by a hash. A bucket has 3 tokens on average, and at most 14. */
export const BUCKETS = 65_536;

/** Rank of bytes that are no token: higher than that of every token. */
export const NO_TOKEN = 0x7fffffff;

const BYTES_OF_RANK = 3;

/**
 * Ranks of the tokens, found by their bytes.
 *
 * The file has no header. It holds, for each bucket, the number of its tokens (1 byte); for each token in the order of the buckets, its length
 * (1 byte), then for each its rank (3 bytes, the lowest first), then for each its bytes.
 */
export class TokenTable {
  readonly #file: Uint8Array;
  /** First token of each bucket, and the number of tokens at the end. */
  readonly #firsts = new Uint32Array(BUCKETS + 1);
  /** Place of the bytes of each token in the file. */
  readonly #starts = new Uint32Array(TOKENS);

  constructor(file: Uint8Array) {
    this.#file = file;
    let token = 0;
    for (let bucket = 0; bucket < BUCKETS; bucket += 1) {
      this.#firsts[bucket] = token;
      token += file[bucket] as number;
    }
    this.#firsts[BUCKETS] = token;
    let start = RANKS + BYTES_OF_RANK * TOKENS;
    for (token = 0; token < TOKENS; token += 1) {
      this.#starts[token] = start;
      start += file[LENGTHS + token] as number;
    }
  }

  /** Returns the rank of the token with these bytes, or `NO_TOKEN`. */
  rankOf(bytes: Uint8Array, start: number, end: number): number {
    const file = this.#file;
    const length = end - start;
    const bucket = bucketOf(bytes, start, end);
    const stop = this.#firsts[bucket + 1] as number;
    for (let token = this.#firsts[bucket] as number; token < stop; token += 1) {
      if (file[LENGTHS + token] !== length) continue;
      const first = this.#starts[token] as number;
      let same = 0;
      while (same < length && file[first + same] === bytes[start + same]) same += 1;
      if (same === length) return rankAt(file, RANKS + BYTES_OF_RANK * token);
    }
    return NO_TOKEN;
  }
}

const LENGTHS = BUCKETS;
const RANKS = LENGTHS + TOKENS;

function rankAt(file: Uint8Array, at: number): number {
  return (file[at] as number) | ((file[at + 1] as number) << 8) | ((file[at + 2] as number) << 16);
}

/** Returns the bucket of bytes: 16 bits of their FNV-1a hash. */
export function bucketOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ (bytes[at] as number), 0x01000193);
  return (hash ^ (hash >>> 16)) & (BUCKETS - 1);
}
