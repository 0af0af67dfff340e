/** Limits the bytes of all request bodies that are in memory at the same time. */
export class BodyBudget {
  readonly #most: number;
  #used = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Reserves room for a body. Returns the function that gives it back; `undefined` when there is not enough. */
  reserve(bytes: number): (() => void) | undefined {
    if (this.#used + bytes > this.#most) return undefined;
    this.#used += bytes;
    let isHeld = true;
    return () => {
      if (isHeld) this.#used -= bytes;
      isHeld = false;
    };
  }
}
