import { randomUUID } from "node:crypto";
import { type Clock, type Locking, ProcessLocking, runFinally, type SessionId, WorkrailError } from "@workrail/core";
import type { KeyValues } from "./key-values.ts";
import { Lease, leasesIn } from "./lease.ts";

const OPEN = "open/";
const ALONE = "alone/";

export interface KvLockingOptions {
  readonly clock: Clock;
  /** Time until a lease of a process that died is over. */
  readonly leaseMs: number;
}

/**
 * Lock between processes by leases. Each opener holds one in `open/`; whoever works alone holds one in `alone/` as well. Both put their
 * lease first and look for the other kind afterwards, so that one of two sees the other. A process that slept beyond its lease can do no
 * harm: its next change finds the journal changed.
 */
export class KvLocking implements Locking {
  readonly #gate = new ProcessLocking();
  readonly #keys: KeyValues;
  readonly #clock: Clock;
  readonly #leaseMs: number;
  readonly #id = randomUUID();
  readonly #open: Lease;
  readonly #alone: Lease;
  #isClosed = false;

  /**
   * Announces an opener of the store.
   *
   * @throws STORE_IN_USE when another process works alone for longer than a lease.
   */
  static async open(keys: KeyValues, options: KvLockingOptions): Promise<KvLocking> {
    const locking = new KvLocking(keys, options);
    await locking.#share();
    return locking;
  }

  private constructor(keys: KeyValues, { clock, leaseMs }: KvLockingOptions) {
    this.#keys = keys;
    this.#clock = clock;
    this.#leaseMs = leaseMs;
    this.#open = new Lease({ keys, clock, leaseMs, name: OPEN + this.#id });
    this.#alone = new Lease({ keys, clock, leaseMs, name: ALONE + this.#id });
  }

  inOrder<T>(session: SessionId, work: () => Promise<T>): Promise<T> {
    return this.#gate.inOrder(session, () => this.#whileOpen(work));
  }

  shared<T>(work: () => Promise<T>): Promise<T> {
    return this.#gate.shared(() => this.#whileOpen(work));
  }

  exclusively<T>(work: () => Promise<T>, isNeeded: () => Promise<boolean> = async () => true): Promise<T> {
    return this.#gate.exclusively(() =>
      runFinally(
        async () => {
          await this.#takeAlone(isNeeded);
          return work();
        },
        () => this.#alone.end(),
      ),
    );
  }

  /** A lease that cannot be deleted runs out. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const lease of [this.#alone, this.#open]) await lease.end().catch(() => undefined);
  }

  /** A process that slept has lost its lease. */
  async #whileOpen<T>(work: () => Promise<T>): Promise<T> {
    if (!this.#isClosed && !this.#open.isHeld) await this.#share();
    return work();
  }

  async #share(): Promise<void> {
    const deadline = this.#clock.now().getTime() + 2 * this.#leaseMs;
    for (;;) {
      await this.#open.begin();
      if ((await this.#others(ALONE)).length === 0) return;
      await this.#open.end();
      if (this.#clock.now().getTime() > deadline) throw inUse();
      await this.#pause();
    }
  }

  /** Waits for processes that died. One that renews its lease is alive, and refuses the lock. */
  async #takeAlone(isNeeded: () => Promise<boolean>): Promise<void> {
    const seen = new Map<string, number>();
    const deadline = this.#clock.now().getTime() + 2 * this.#leaseMs;
    for (;;) {
      await this.#alone.begin();
      const openers = await this.#others(OPEN);
      const workers = await this.#others(ALONE);
      if (openers.length + workers.length === 0) return;
      await this.#alone.end();
      const isAlive = openers.some(({ id, until }) => until > (seen.get(id) ?? until));
      if (isAlive || this.#clock.now().getTime() > deadline || !(await isNeeded())) throw inUse();
      for (const { id, until } of openers) if (!seen.has(id)) seen.set(id, until);
      await this.#pause();
    }
  }

  async #others(folder: string) {
    return (await leasesIn(this.#keys, folder, this.#clock)).filter(({ id }) => id !== this.#id);
  }

  /** A random time, so that two that wait for each other do not meet again. */
  async #pause(): Promise<void> {
    const ms = (this.#leaseMs / 20) * (1 + Math.random());
    await new Promise((resolve) => {
      setTimeout(resolve, ms);
    });
  }
}

function inUse(): WorkrailError {
  return new WorkrailError("STORE_IN_USE", "Another process has the store open.", {
    hint: "Close the other programs that use this store, then try again.",
  });
}
