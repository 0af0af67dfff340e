/** Runs jobs one after another, in the order of their arrival. */
export class SerialQueue {
  #tail: Promise<unknown> | undefined;

  /** True when nothing is running. */
  get isIdle(): boolean {
    return this.#tail === undefined;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#tail === undefined ? work() : this.#tail.then(work);
    // The next in line waits for this work, whether it succeeds or fails.
    const tail = mine.then(ignore, ignore);
    this.#tail = tail;
    try {
      return await mine;
    } finally {
      if (this.#tail === tail) this.#tail = undefined;
    }
  }
}

function ignore(): void {}
