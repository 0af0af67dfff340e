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
import { type Files, ifThere, translated, writeDurably } from "./durable-file.ts";
import type { FolderBlobStore } from "./folder-blob-store.ts";

/**
 * The catalog in one file, which each change replaces: atomic and durable, because replacing the file is. What is in it,
 * and what may be changed, is `CatalogState`'s business.
 */
export class FileCatalog implements Catalog, CatalogRecovery {
  readonly #files: Files;
  readonly #file: string;
  readonly #blobs: FolderBlobStore;
  #state = new CatalogState();
  /** Whether the file is known to be what `#state` says, and durable. */
  #isSettled = false;
  #last: Promise<unknown> = Promise.resolve();

  private constructor(files: Files, file: string, blobs: FolderBlobStore) {
    this.#files = files;
    this.#file = file;
    this.#blobs = blobs;
  }

  static async open(files: Files, file: string, blobs: FolderBlobStore): Promise<FileCatalog> {
    const catalog = new FileCatalog(files, file, blobs);
    await catalog.#alone(() => catalog.#settle());
    return catalog;
  }

  commit(change: CatalogChange): Promise<CommitOutcome> {
    const given = structuredClone(change);
    return this.#change(async (state) => {
      const hasBlob = given.append === undefined || (await this.#blobs.has(given.append.record.blob));
      return state.apply(given, () => hasBlob);
    });
  }

  find(id: CheckpointId): Promise<CheckpointRecord | undefined> {
    return this.#look((state) => state.find(id));
  }

  head(session: SessionId): Promise<CheckpointRecord | undefined> {
    return this.#look((state) => state.head(session));
  }

  list(query: CheckpointQuery): Promise<CheckpointPage> {
    return this.#look((state) => state.list(query));
  }

  session(id: SessionId): Promise<Session | undefined> {
    return this.#look((state) => state.session(id));
  }

  sessions(query: SessionQuery): Promise<SessionPage> {
    return this.#look((state) => state.sessions(query));
  }

  trash(query: TrashQuery): Promise<TrashPage> {
    return this.#look((state) => state.trash(query));
  }

  usage(): Promise<StoreUsage> {
    return this.#look((state) => state.usage());
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
    return this.#change(async (state) => state.reconcile(repair));
  }

  async reclaim(refs: readonly BlobRef[] | undefined, remove: (ref: BlobRef) => Promise<void>): Promise<readonly BlobRef[]> {
    const removed = new Set<BlobRef>();
    // What is removed may have been the last to need another, which is then free too.
    for (let before = -1; before !== removed.size;) {
      before = removed.size;
      const free = await this.#change(async (state) => {
        const needless = state.needless(refs, new Date()).filter((ref) => !removed.has(ref));
        for (const ref of needless) await remove(ref);
        for (const ref of needless) state.reclaimed(ref);
        return needless;
      });
      for (const ref of free) removed.add(ref);
    }
    return [...removed];
  }

  holdRemovals(holder: string, until: Date): Promise<void> {
    return this.#change(async (state) => state.hold(holder, new Date(until)));
  }

  releaseRemovals(holder: string): Promise<void> {
    return this.#change(async (state) => state.release(holder));
  }

  /** All of it is read whenever it is opened. */
  async examine(): Promise<void> {}

  async needsRebuild(): Promise<boolean> {
    if (!(await this.#look((state) => state.isPristine))) return false;
    for await (const _ of this.#blobs.list()) return true;
    return false;
  }

  async *sessionFacts(): AsyncGenerator<SessionFacts> {
    yield* await this.#look((state) => state.facts());
  }

  replaceAll(records: readonly NewRecord[], sessions: readonly SessionFacts[], audit: AuditEvent): Promise<void> {
    const given = structuredClone({ records, sessions, audit });
    const fill = async (state: CatalogState): Promise<void> =>
      state.fill(given.records, given.sessions, given.audit, (key) => this.#blobs.refOf(key));
    return this.#change(fill, () => new CatalogState());
  }

  /** What is seen stays: after a change that failed it is what the file then says, and nobody looks before that is known. */
  async #look<T>(look: (state: CatalogState) => T): Promise<T> {
    if (!this.#isSettled) await this.#alone(() => this.#settle());
    return structuredClone(look(this.#state));
  }

  /** Changes a copy, and then the file. Nobody sees the copy before it is durable. */
  #change<T>(change: (state: CatalogState) => Promise<T>, begin = () => CatalogState.fromJson(this.#state.toJson())): Promise<T> {
    return this.#alone(async () => {
      await this.#settle();
      const state = begin();
      const result = structuredClone(await change(state));
      // Their facts are in the same file.
      state.changedFacts();
      if (state.toJson() !== this.#state.toJson()) await this.#write(state);
      this.#state = state;
      return result;
    });
  }

  async #write(state: CatalogState): Promise<void> {
    this.#isSettled = false;
    // Where it fails after the file was replaced, nobody knows what a power cut would leave.
    await translated(writeDurably(this.#files, this.#file, Buffer.from(state.toJson()), "replace"), { outcome: "unknown" });
    this.#isSettled = true;
  }

  /** Before anything is decided or seen: what the file says, made durable again after a change that failed. */
  async #settle(): Promise<void> {
    if (this.#isSettled) return;
    const bytes = await translated(ifThere(this.#files.readFile(this.#file)));
    this.#state = bytes === undefined ? new CatalogState() : CatalogState.fromJson(bytes.toString());
    await this.#write(this.#state);
  }

  /** One after another. */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#last.then(work);
    this.#last = mine.catch(() => undefined);
    return mine;
  }
}
