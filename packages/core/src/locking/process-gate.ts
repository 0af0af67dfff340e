import type { SessionId } from "../model/ids.ts";

/**
 * Part of `Locking` within one process: runs work of a session in order, and work either shared or alone. Adapters add the
 * locking between processes.
 */
export class ProcessGate {
  readonly #tails = new Map<SessionId, Promise<unknown>>();
  #inside = 0;
  /** Set while work runs alone, or waits to. */
  #closed: Promise<void> | undefined;
  #onEmpty: (() => void) | undefined;

  async inOrder<T>(session: SessionId, work: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(session);
    const mine = before === undefined ? this.shared(work) : before.then(() => this.shared(work));
    // The next in line waits for this work, whether it succeeds or fails.
    const tail = mine.then(ignore, ignore);
    this.#tails.set(session, tail);
    try {
      return await mine;
    } finally {
      if (this.#tails.get(session) === tail) this.#tails.delete(session);
    }
  }

  async shared<T>(work: () => Promise<T>): Promise<T> {
    while (this.#closed !== undefined) await this.#closed;
    this.#inside += 1;
    try {
      return await work();
    } finally {
      this.#inside -= 1;
      if (this.#inside === 0) this.#onEmpty?.();
    }
  }

  async alone<T>(work: () => Promise<T>): Promise<T> {
    while (this.#closed !== undefined) await this.#closed;
    let open = ignore;
    this.#closed = new Promise((resolve) => {
      open = resolve;
    });
    try {
      if (this.#inside > 0) {
        await new Promise<void>((resolve) => {
          this.#onEmpty = resolve;
        });
      }
      return await work();
    } finally {
      this.#onEmpty = undefined;
      this.#closed = undefined;
      open();
    }
  }
}

function ignore(): void {}
