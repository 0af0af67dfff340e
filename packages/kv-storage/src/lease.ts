import type { Clock } from "@workrail/core";
import type { KeyValues } from "./key-values.ts";
import { sortedKeys } from "./reported-keys.ts";

export interface LeaseOptions {
  readonly keys: KeyValues;
  readonly clock: Clock;
  readonly leaseMs: number;
  /** Folder and id. */
  readonly name: string;
}

/** Key that says in its name until when its process holds something. Renewing puts a new key before it deletes the old one. */
export class Lease {
  readonly #options: LeaseOptions;
  #timer: NodeJS.Timeout | undefined;
  #until = 0;
  #renewing: Promise<void> = Promise.resolve();

  constructor(options: LeaseOptions) {
    this.#options = options;
  }

  get isHeld(): boolean {
    return this.#options.clock.now().getTime() < this.#until;
  }

  /** Puts the lease, and renews it until it is ended. */
  async begin(): Promise<void> {
    try {
      await this.#renew();
    } catch (error) {
      await this.end().catch(() => undefined);
      throw error;
    }
    // A renewal that fails is repeated by the next one.
    this.#timer = setInterval(() => {
      this.#renewing = this.#renewing.then(() => this.#renew()).catch(() => undefined);
    }, this.#options.leaseMs / 3);
    this.#timer.unref();
  }

  async end(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    await this.#renewing;
    const { keys, name } = this.#options;
    this.#until = 0;
    for (const key of await sortedKeys(keys, `${name}.`)) await keys.delete(key);
  }

  async #renew(): Promise<void> {
    const { keys, clock, leaseMs, name } = this.#options;
    const before = this.#until;
    const until = Math.max(clock.now().getTime() + leaseMs, before + 1);
    await keys.putIfAbsent(keyOf(name, until), new Uint8Array());
    this.#until = until;
    if (before > 0) await keys.delete(keyOf(name, before));
  }
}

/** Holder of a lease that is not over. */
export interface Holder {
  readonly id: string;
  readonly until: number;
}

/** Returns who holds leases, and deletes those that are over. */
export async function leasesIn(keys: KeyValues, folder: string, clock: Clock): Promise<readonly Holder[]> {
  const now = clock.now().getTime();
  const latest = new Map<string, number>();
  for (const key of await sortedKeys(keys, folder)) {
    const [id = "", until = ""] = key.slice(folder.length).split(".");
    if (Number(until) <= now) await keys.delete(key);
    else latest.set(id, Math.max(Number(until), latest.get(id) ?? 0));
  }
  return [...latest].map(([id, until]) => ({ id, until }));
}

function keyOf(name: string, until: number): string {
  return `${name}.${until}`;
}
