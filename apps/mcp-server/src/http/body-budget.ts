/** Limits the bytes of all request bodies that are in memory at the same time. */
export class BodyBudget {
  readonly #most: number;
  #used = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Reserves room for a body. Returns the function that gives back all but some bytes of it; `undefined` when there is not enough. */
  reserve(bytes: number): ((kept: number) => void) | undefined {
    if (this.#used + bytes > this.#most) return undefined;
    this.#used += bytes;
    let held = bytes;
    return (kept) => {
      const left = Math.min(held, kept);
      this.#used -= held - left;
      held = left;
    };
  }
}
