import type { SessionId } from "../model/ids.ts";
import type { Locking } from "../ports/locking.ts";

/**
 * Locking within one process. Enough for a store that no other process changes, or whose changes by others do not matter. Adapters for
 * several processes add the locking between them.
 */
export class ProcessLocking implements Locking {
  readonly #queues = new Map<SessionId, SerialQueue>();
  #inside = 0;
  /** Set while work runs alone, or waits to. */
  #closed: Promise<void> | undefined;
  #onEmpty: (() => void) | undefined;

  async inOrder<T>(session: SessionId, work: () => Promise<T>): Promise<T> {
    const queue = this.#queues.get(session) ?? new SerialQueue();
    this.#queues.set(session, queue);
    try {
      return await queue.run(() => this.shared(work));
    } finally {
      if (queue.isIdle) this.#queues.delete(session);
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

  async exclusively<T>(work: () => Promise<T>): Promise<T> {
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

/** Locking for work inside an existing hold of the store. It takes no lock: waiting for a second one might never end. */
export const ALREADY_HELD: Locking = {
  inOrder: (_session, work) => work(),
  shared: (work) => work(),
  exclusively: (work) => work(),
};
