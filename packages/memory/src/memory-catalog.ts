import {
  type AuditEvent,
  type BlobRef,
  type Catalog,
  type CatalogChange,
  type CatalogRecovery,
  CatalogState,
  type CheckpointId,
  type CheckpointPage,
  type CheckpointQuery,
  type CheckpointRecord,
  type CommitOutcome,
  type Discrepancies,
  type NewRecord,
  type Session,
  type SessionFacts,
  type SessionId,
  type SessionPage,
  type SessionQuery,
  type StoredForm,
  type StoreUsage,
  type TrashPage,
  type TrashQuery,
} from "@workrail/core";
import type { MemoryBlobStore } from "./memory-blob-store.ts";
import type { MemoryDisk } from "./memory-disk.ts";

/**
 * The catalog's contract in its plainest form. Whatever changes it first decides and then applies, without a pause in
 * which somebody else could look; records are copied in and out.
 */
export class MemoryCatalog implements Catalog, CatalogRecovery {
  readonly #disk: MemoryDisk;
  readonly #blobs: MemoryBlobStore;

  constructor(disk: MemoryDisk, blobs: MemoryBlobStore) {
    this.#disk = disk;
    this.#blobs = blobs;
  }

  /** The audit log, oldest first. */
  get audit(): readonly AuditEvent[] {
    return structuredClone(this.#state.audit);
  }

  get #state(): CatalogState {
    return this.#disk.catalog;
  }

  commit(change: CatalogChange): Promise<CommitOutcome> {
    const given = structuredClone(change);
    return this.#change((state) => state.apply(given, (ref) => this.#disk.blobs.has(ref)));
  }

  async find(id: CheckpointId): Promise<CheckpointRecord | undefined> {
    return structuredClone(this.#state.find(id));
  }

  async head(session: SessionId): Promise<CheckpointRecord | undefined> {
    return structuredClone(this.#state.head(session));
  }

  async list(query: CheckpointQuery): Promise<CheckpointPage> {
    return structuredClone(this.#state.list(query));
  }

  async session(id: SessionId): Promise<Session | undefined> {
    return structuredClone(this.#state.session(id));
  }

  async sessions(query: SessionQuery): Promise<SessionPage> {
    return structuredClone(this.#state.sessions(query));
  }

  async trash(query: TrashQuery): Promise<TrashPage> {
    return structuredClone(this.#state.trash(query));
  }

  async usage(): Promise<StoreUsage> {
    return this.#state.usage();
  }

  replaceBlob(expected: CheckpointRecord, becomes: StoredForm, write: () => Promise<void>): Promise<boolean> {
    return this.#change(async (state) => {
      if (!state.canChangeForm(expected, becomes)) return false;
      await write();
      state.changeForm(expected, becomes);
      return true;
    });
  }

  markDamaged(expected: CheckpointRecord, audit: AuditEvent, putAside: () => Promise<boolean>): Promise<boolean> {
    return this.#change(async (state) => {
      if (expected.damaged || !state.isAsExpected(expected) || !(await putAside())) return false;
      state.markDamaged(expected, structuredClone(audit));
      return true;
    });
  }

  reconcile(repair: boolean): Promise<Discrepancies> {
    return this.#change((state) => state.reconcile(repair));
  }

  reclaim(refs: readonly BlobRef[] | undefined, remove: (ref: BlobRef) => Promise<void>): Promise<readonly BlobRef[]> {
    return this.#change(async (state) => {
      const removed = new Set<BlobRef>();
      // What is removed may have been the last to need another, which is then free too, whichever was named first.
      for (let before = -1; before !== removed.size;) {
        before = removed.size;
        const needless = state.needless(refs, new Date()).filter((ref) => !removed.has(ref));
        for (const ref of needless) {
          await remove(ref);
          state.reclaimed(ref);
          removed.add(ref);
        }
      }
      return [...removed];
    });
  }

  holdRemovals(holder: string, until: Date): Promise<void> {
    return this.#change((state) => state.hold(holder, new Date(until)));
  }

  releaseRemovals(holder: string): Promise<void> {
    return this.#change((state) => state.release(holder));
  }

  async examine(): Promise<void> {}

  async needsRebuild(): Promise<boolean> {
    return this.#state.isPristine && this.#disk.blobs.size > 0;
  }

  async *sessionFacts(): AsyncGenerator<SessionFacts> {
    for (const facts of this.#disk.sessionFacts.values()) yield structuredClone(facts);
  }

  replaceAll(records: readonly NewRecord[], sessions: readonly SessionFacts[], audit: AuditEvent): Promise<void> {
    const given = structuredClone({ records, sessions, audit });
    return this.#change(() => {
      const state = new CatalogState();
      state.fill(given.records, given.sessions, given.audit, (key) => this.#blobs.refOf(key));
      this.#disk.catalog = state;
    });
  }

  /** One change after another, each with what the facts outside of the catalog are to say then. */
  #change<T>(change: (state: CatalogState) => T | Promise<T>): Promise<T> {
    return this.#disk.transact(async () => {
      const result = structuredClone(await change(this.#state));
      for (const facts of this.#state.changedFacts()) this.#disk.sessionFacts.set(facts.sessionId, structuredClone(facts));
      return result;
    });
  }
}
