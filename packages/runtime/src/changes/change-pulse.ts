import { type ChangePosition, type ListPorts, listChanges } from "@workrail/core";

/** Interval of reads: short enough for a person who watches a page. */
const PACE_MS = 500;

/** Wakes those that wait for the next change of a catalog, by one read at intervals for all of them. Reads nothing without a waiter. */
export class ChangePulse {
  readonly #ports: ListPorts;
  readonly #takeIn: () => Promise<unknown>;
  readonly #waiting = new Map<() => void, ChangePosition>();
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  /** @param takeIn takes in saves of hooks. Never rejects. */
  constructor(ports: ListPorts, takeIn: () => Promise<unknown>) {
    this.#ports = ports;
    this.#takeIn = takeIn;
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Returns the position behind the last change. Called under the shared lock. */
  async current(): Promise<ChangePosition> {
    const page = await listChanges(this.#ports.catalog, { limit: 0 });
    // Without a position to start from, there is always one.
    return page?.position as ChangePosition;
  }

  /**
   * Resolves at the next read that does not find this position, also when it fails, so that the caller meets the error in its own read.
   * Resolves early when the signal aborts, or at `stop`.
   */
  async wait(position: ChangePosition, signal: AbortSignal | undefined): Promise<void> {
    if (this.#isStopped || signal?.aborted === true) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.set(resolve, position);
    const abort = (): void => resolve();
    signal?.addEventListener("abort", abort);
    this.#beatLater();
    await promise;
    signal?.removeEventListener("abort", abort);
    this.#waiting.delete(resolve);
  }

  /** Wakes all that wait, and reads nothing more. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    for (const wake of this.#waiting.keys()) wake();
  }

  #beatLater(): void {
    this.#timer ??= setTimeout(() => void this.#beat(), PACE_MS);
  }

  async #beat(): Promise<void> {
    if (this.#waiting.size > 0) {
      await this.#takeIn();
      const now = await this.#ports.locking.shared(() => this.current()).catch(() => undefined);
      for (const [wake, position] of this.#waiting) if (position !== now) wake();
    }
    this.#timer = undefined;
    if (this.#waiting.size > 0 && !this.#isStopped) this.#beatLater();
  }
}
