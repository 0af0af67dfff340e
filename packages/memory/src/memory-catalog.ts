import { hash } from "node:crypto";
import {
  type AuditEvent,
  type BlobRef,
  type CatalogRecovery,
  CatalogState,
  type LoggedEvent,
  type NewRecord,
  type Rewriting,
  type SessionFacts,
  StateCatalog,
} from "@workrail/core";
import type { MemoryBlobStore } from "./memory-blob-store.ts";
import type { MemoryDisk } from "./memory-disk.ts";

/**
 * The simplest implementation of the catalog's contract. Each change is decided and applied without a pause in which another
 * call could read the state. Records are copied on input and output.
 */
export class MemoryCatalog extends StateCatalog implements CatalogRecovery {
  readonly #disk: MemoryDisk;
  readonly #blobs: MemoryBlobStore;

  constructor(disk: MemoryDisk, blobs: MemoryBlobStore) {
    super((text) => hash("sha256", text, "hex"));
    this.#disk = disk;
    this.#blobs = blobs;
  }

  /** The audit log, oldest first. */
  get audit(): readonly LoggedEvent[] {
    return structuredClone(this.#disk.catalog.audit);
  }

  async examine(): Promise<void> {}

  async needsRebuild(): Promise<boolean> {
    return this.#disk.catalog.isPristine && this.#disk.blobs.size > 0;
  }

  async *sessionFacts(): AsyncGenerator<SessionFacts> {
    for (const facts of this.#disk.sessionFacts.values()) yield structuredClone(facts);
  }

  replaceAll(records: readonly NewRecord[], sessions: readonly SessionFacts[], audit: AuditEvent): Promise<void> {
    const given = structuredClone({ records, sessions, audit });
    return this.inTurn(async () => {
      const state = new CatalogState();
      state.fill(given, { refOf: (key) => this.#blobs.refOf(key), digest: this.auditDigest });
      this.#disk.catalog = state;
    });
  }

  rewrite(rewriting: Rewriting): Promise<void> {
    return this.inTurn(async () => {
      const state = this.rewritten(this.#disk.catalog, rewriting);
      this.#disk.catalog = state;
      for (const facts of state.facts()) this.#disk.sessionFacts.set(facts.sessionId, structuredClone(facts));
    });
  }

  protected async look<T>(look: (state: CatalogState) => T): Promise<T> {
    return structuredClone(look(this.#disk.catalog));
  }

  protected inTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.#disk.transact(work);
  }

  /** Applies a change and updates the session facts outside of the catalog. */
  protected async apply<T>(change: (state: CatalogState) => T): Promise<T> {
    const state = this.#disk.catalog;
    const result = structuredClone(change(state));
    for (const sessionId of state.takeForgotten()) this.#disk.sessionFacts.delete(sessionId);
    for (const facts of state.changedFacts()) this.#disk.sessionFacts.set(facts.sessionId, structuredClone(facts));
    return result;
  }

  protected hasBlob(ref: BlobRef): boolean {
    return this.#disk.blobs.has(ref);
  }
}
