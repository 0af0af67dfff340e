import { NO_TOKEN, type TokenTable } from "./token-table.ts";

/** Counts the tokens of the first bytes of an array. */
export type CountPairs = (bytes: Uint8Array, length: number) => number;

/**
 * Returns a function that counts as byte pair encoding does: of all neighbours that together are a token, those with the lowest rank are
 * joined first, the leftmost of equal ones, until none are left. A heap gives the lowest, so the time grows with the length times its logarithm.
 */
export function countingPairs(table: TokenTable): CountPairs {
  /** Start of the part after the one that starts at each byte, and of the part before it. */
  let after = new Int32Array(FIRST_LENGTH + 2);
  let before = new Int32Array(FIRST_LENGTH + 2);
  /** Rank of the part that starts at each byte together with the next; `NO_TOKEN` within a part. */
  let ranks = new Int32Array(FIRST_LENGTH + 2);
  const heap = new NumberHeap();
  return (bytes, length) => {
    if (length < 2 || table.rankOf(bytes, 0, length) !== NO_TOKEN) return Math.min(length, 1);
    if (length + 2 > ranks.length)
      [after, before, ranks] = [new Int32Array(2 * length), new Int32Array(2 * length), new Int32Array(2 * length)];
    const rank = (part: number): void => {
      const next = after[part] as number;
      const found = next >= length ? NO_TOKEN : table.rankOf(bytes, part, after[next] as number);
      ranks[part] = found;
      if (found !== NO_TOKEN) heap.push(found * PLACES + part);
    };
    for (let part = 0; part <= length; part += 1) {
      after[part] = part + 1;
      before[part] = part - 1;
    }
    for (let part = 0; part < length; part += 1) rank(part);
    let parts = length;
    while (heap.size > 0) {
      const least = heap.pop();
      const part = least % PLACES;
      // The part was joined, or got another neighbour, since its rank was pushed.
      if (ranks[part] !== (least - part) / PLACES) continue;
      const next = after[part] as number;
      const end = after[next] as number;
      ranks[next] = NO_TOKEN;
      after[part] = end;
      before[end] = part;
      parts -= 1;
      rank(part);
      if (part > 0) rank(before[part] as number);
    }
    return parts;
  };
}

const FIRST_LENGTH = 1_024;

/** Above every place in a text, so that a rank and a place are one number that sorts by both. */
const PLACES = 2 ** 32;

/** A binary heap of numbers, the least first. */
class NumberHeap {
  #numbers = new Float64Array(2 * FIRST_LENGTH);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  push(added: number): void {
    if (this.#size === this.#numbers.length) {
      const larger = new Float64Array(2 * this.#size);
      larger.set(this.#numbers);
      this.#numbers = larger;
    }
    const numbers = this.#numbers;
    let at = this.#size++;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if ((numbers[above] as number) <= added) break;
      numbers[at] = numbers[above] as number;
      at = above;
    }
    numbers[at] = added;
  }

  /** Removes the least of at least one number. */
  pop(): number {
    const numbers = this.#numbers;
    const least = numbers[0] as number;
    const size = --this.#size;
    const moved = numbers[size] as number;
    let at = 0;
    for (let below = 1; below < size; below = 2 * at + 1) {
      if (below + 1 < size && (numbers[below + 1] as number) < (numbers[below] as number)) below += 1;
      if ((numbers[below] as number) >= moved) break;
      numbers[at] = numbers[below] as number;
      at = below;
    }
    numbers[at] = moved;
    return least;
  }
}
