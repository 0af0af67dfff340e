/** Pseudorandom numbers that are reproducible from a seed. */
export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** Returns an integer from 0 to below `limit`. */
  below(limit: number): number {
    // The algorithm is mulberry32.
    this.#state = (this.#state + 0x6d2b_79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  }
}

/** Runs work with random choices. A failure names the seed that repeats it. */
export async function withChance(seed: number, work: (chance: Chance) => Promise<void>): Promise<void> {
  try {
    await work(new Chance(seed));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new Error(`With WORKRAIL_CONFORMANCE_SEED=${seed}: ${message}`, { cause: error });
  }
}
