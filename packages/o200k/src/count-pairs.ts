import { NO_TOKEN, type TokenTable } from "./token-table.ts";

/** Counts the tokens of the first bytes of an array. */
export type CountPairs = (bytes: Uint8Array, length: number) => number;

/**
 * Returns a function that counts as byte pair encoding does: of all neighbours that together are a token, those with the lowest rank are
 * joined first, until none are left. The time grows with the square of the length.
 */
export function countingPairs(table: TokenTable): CountPairs {
  /** Start of each part, and the end of the last. */
  let starts = new Int32Array(FIRST_LENGTH + 1);
  /** Rank of each part together with the next. */
  let ranks = new Int32Array(FIRST_LENGTH + 1);
  return (bytes, length) => {
    if (length < 2 || table.rankOf(bytes, 0, length) !== NO_TOKEN) return Math.min(length, 1);
    if (length >= starts.length) {
      starts = new Int32Array(2 * length);
      ranks = new Int32Array(2 * length);
    }
    const join = (part: number): void => {
      ranks[part] = part + 2 > parts ? NO_TOKEN : table.rankOf(bytes, starts[part] as number, starts[part + 2] as number);
    };
    let parts = length;
    for (let part = 0; part <= length; part += 1) starts[part] = part;
    for (let part = 0; part < length; part += 1) join(part);
    for (;;) {
      let least = NO_TOKEN;
      let found = -1;
      for (let part = 0; part < parts; part += 1) {
        const rank = ranks[part] as number;
        if (rank >= least) continue;
        least = rank;
        found = part;
      }
      if (found < 0) return parts;
      starts.copyWithin(found + 1, found + 2, parts + 1);
      ranks.copyWithin(found + 1, found + 2, parts);
      parts -= 1;
      join(found);
      if (found > 0) join(found - 1);
    }
  };
}

const FIRST_LENGTH = 1_024;
