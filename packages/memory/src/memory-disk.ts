import { type BlobRef, CatalogState, ProcessGate, type SessionFacts, type SessionId } from "@workrail/core";

/**
 * Where a memory storage keeps what it is given. Hand the same one to `openMemoryStorage` again, and the store is
 * found as it was left, as after a restart.
 */
export class MemoryDisk {
  readonly blobs: Map<BlobRef, Uint8Array> = new Map();
  /** Blobs that were put aside, by where they are now. */
  readonly quarantine: Map<string, Uint8Array> = new Map();
  /** What survives the loss of the catalog, as a file beside the blobs would. */
  readonly sessionFacts: Map<SessionId, SessionFacts> = new Map();
  /** Keys, each wrapped, by what they are for: the store, or a session. */
  readonly keys: Map<string, Uint8Array> = new Map();
  catalog: CatalogState = new CatalogState();
  /** One for all who opened this disk: they are one process. */
  readonly gate: ProcessGate = new ProcessGate();
  #lastTransaction: Promise<unknown> = Promise.resolve();

  /** Runs what changes the catalog, one after another. */
  transact<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#lastTransaction.then(work);
    this.#lastTransaction = mine.catch(() => {});
    return mine;
  }

  /** The catalog is gone, as when its file was deleted. What `CatalogRecovery` needs is still there. */
  loseCatalog(): void {
    this.catalog = new CatalogState();
  }
}
