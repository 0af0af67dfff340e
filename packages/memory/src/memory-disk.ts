import { type BlobRef, MemoryTables, ProcessLocking, type SessionFacts, type SessionId } from "@workrail/core";

/** Data of a memory storage. Pass the same disk to `openMemoryStorage` again to find the store unchanged, as after a restart. */
export class MemoryDisk {
  readonly blobs: Map<BlobRef, Uint8Array> = new Map();
  /** Quarantined blobs by their place. */
  readonly quarantine: Map<string, Uint8Array> = new Map();
  /** Session facts that survive the loss of the catalog, like a file next to the blobs. */
  readonly sessionFacts: Map<SessionId, SessionFacts> = new Map();
  /** Wrapped keys by their purpose: the store, or a session. */
  readonly keys: Map<string, Uint8Array> = new Map();
  catalog: MemoryTables = this.#emptyCatalog();
  /** Shared by all users of this disk, since they are in one process. */
  readonly locking: ProcessLocking = new ProcessLocking();
  #lastTransaction: Promise<unknown> = Promise.resolve();

  /** Runs transactions of the catalog one after another. */
  transact<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#lastTransaction.then(work);
    this.#lastTransaction = mine.catch(() => {});
    return mine;
  }

  /** Drops the catalog, as if its file was deleted. The data for `RecoveryPort` stays. */
  loseCatalog(): void {
    this.catalog = this.#emptyCatalog();
  }

  #emptyCatalog(): MemoryTables {
    return new MemoryTables((ref) => this.blobs.has(ref));
  }
}
