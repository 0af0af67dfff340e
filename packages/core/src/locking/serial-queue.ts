/** Runs pieces of work one after another, in the order they came. */
export class SerialQueue {
  #tail: Promise<unknown> | undefined;

  /** Whether nothing is under way. */
  get isIdle(): boolean {
    return this.#tail === undefined;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#tail === undefined ? work() : this.#tail.then(work);
    // The next in line waits for us, whatever becomes of us.
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
