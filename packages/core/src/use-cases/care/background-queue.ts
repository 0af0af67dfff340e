import type { Background, Log } from "../../ports/environment.ts";

/** Runs jobs one after another, after the answers they belong to. */
export class BackgroundQueue implements Background {
  readonly #log: Log;
  #tail: Promise<void> = Promise.resolve();

  constructor(log: Log) {
    this.#log = log;
  }

  run(name: string, work: () => Promise<void>): void {
    this.#tail = this.#tail.then(work).catch((error: unknown) => {
      this.#log.warn(`background work failed: ${name}`, { error });
    });
  }

  /** Resolves when the queue is empty, including jobs queued by other jobs. */
  async idle(): Promise<void> {
    for (let tail: Promise<void> | undefined; tail !== this.#tail;) {
      tail = this.#tail;
      await tail;
    }
  }
}
