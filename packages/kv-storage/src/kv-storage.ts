import type { Clock, Durability, Rule, Storage } from "@workrail/core";
import { Journal } from "./journal.ts";
import type { KeyValues } from "./key-values.ts";
import { KvBlobStore } from "./kv-blob-store.ts";
import { KvCatalog } from "./kv-catalog.ts";
import { KvLocking } from "./kv-locking.ts";
import { reportedKeys } from "./reported-keys.ts";

export interface KvStorageOptions {
  /** Default `disk`: a value survives a power cut once `putIfAbsent` resolves. */
  readonly durability?: Durability;
  /** Time that others wait for a process that died, in milliseconds. An open store renews its lease three times as often. Default 15,000. */
  readonly leaseMs?: number;
  /** Times of the leases. Clocks of processes on one store should agree within a part of `leaseMs`. Default: the system's clock. */
  readonly clock?: Clock;
}

/**
 * Opens a storage over four functions of a key-value store. Several processes may have it open.
 *
 * @throws STORE_IN_USE when another process has the store for itself.
 */
export async function kvStorage(given: KeyValues, options: KvStorageOptions = {}): Promise<Storage> {
  const { durability = "disk", leaseMs = 15_000, clock = { now: () => new Date() } } = options;
  const keys = reportedKeys(given);
  const journal = new Journal(keys);
  const blobs = new KvBlobStore(keys, journal, (work) => rows.change(changingBlobs(work)));
  const rows = new KvCatalog(keys, journal, blobs);
  const locking = await KvLocking.open(keys, { clock, leaseMs });
  return {
    durability,
    mode: "key-values",
    warnings: [],
    catalog: rows,
    recovery: rows,
    blobs,
    locking,
    async purge() {
      await rows.purge();
      return [];
    },
    async close() {
      await rows.settled();
      await journal.settled();
      await locking.close();
      keys.close();
    },
  };
}

function changingBlobs(work: () => Promise<void>): Rule<void> {
  return {
    reads: {},
    decide: () => ({
      outcome: undefined,
      rows: [],
      audit: [],
      async blobs() {
        await work();
        return true;
      },
    }),
  };
}
