import {
  catalogLost,
  DATABASE,
  directoryNameOf,
  type FileBlobStore,
  fileError,
  fileNameOf,
  type FileSystem,
  isCatalogLoss,
  refuseUnfinishedRestore,
  type SessionFactsFiles,
  setAside,
  storeClosed,
  unknownOutcome,
} from "@workrail/blob-files";
import {
  type AuditEvent,
  type BlobRef,
  type CatalogRecovery,
  CatalogState,
  type CheckpointId,
  type NewRecord,
  type Rewriting,
  SerialQueue,
  type SessionFacts,
  StateCatalog,
} from "@workrail/core";
import { hash } from "node:crypto";
import path from "node:path";
import { CatalogJournal } from "./catalog-journal.ts";

export interface FilesCatalogOptions {
  readonly dataDir: string;
  readonly fs: FileSystem;
  readonly blobs: FileBlobStore;
  readonly factsFiles: SessionFactsFiles;
}

/**
 * The catalog in memory, and on the disk as the journal of its changes. This process has the store to itself. Changes
 * come one after another; each is decided and applied in memory, then written down, and nobody sees it in between. What
 * cannot be written down is forgotten: the state is read again.
 */
export class FilesCatalog extends StateCatalog implements CatalogRecovery {
  readonly #options: FilesCatalogOptions;
  readonly #journal: CatalogJournal;
  readonly #changes = new SerialQueue();
  #state: CatalogState | undefined;
  #reading: Promise<CatalogState> | undefined;
  /** Pending while the state is ahead of the disk. */
  #settling: Promise<void> | undefined;
  #isClosed = false;

  /** Opens it. One that is lost or damaged is opened all the same, for a rebuild: everything else then fails. */
  static async open(options: FilesCatalogOptions): Promise<FilesCatalog> {
    const catalog = new FilesCatalog(options);
    try {
      await catalog.#use();
    } catch (error) {
      if (!isCatalogLoss(error)) throw error;
    }
    return catalog;
  }

  private constructor(options: FilesCatalogOptions) {
    super((text) => hash("sha256", text, "hex"));
    this.#options = options;
    this.#journal = new CatalogJournal(options.dataDir, options.fs);
  }

  sessionFacts(): AsyncIterable<SessionFacts> {
    return this.#options.factsFiles.readAll();
  }

  /** All of the journal was read, and proven, when it was opened. */
  async examine(): Promise<void> {}

  needsRebuild(): Promise<boolean> {
    return this.inTurn(async () => {
      try {
        const state = await this.#use();
        return state.isPristine && !(await this.#options.blobs.isEmpty());
      } catch (error) {
        if (isCatalogLoss(error)) return true;
        throw error;
      }
    });
  }

  /** The new journal is there before the database of a store that was used with SQLite goes: with both it is lost still. */
  replaceAll(records: readonly NewRecord[], sessions: readonly SessionFacts[], audit: AuditEvent): Promise<void> {
    const given = structuredClone({ records, sessions, audit });
    const { fs, dataDir, blobs } = this.#options;
    return this.inTurn(async () => {
      refuseUnfinishedRestore(fs, dataDir);
      const state = new CatalogState();
      state.fill(given, { refOf: (key) => blobs.refOf(key), digest: this.auditDigest });
      this.#forget();
      await this.#journal.replace(state.entries());
      setAside(fs, this.#database, BESIDE);
      await fs.syncDirectory(dataDir);
    });
  }

  rewrite(rewriting: Rewriting): Promise<void> {
    return this.inTurn(async () => {
      const state = this.rewritten(await this.#use(), rewriting);
      for (const facts of state.facts()) await this.#options.factsFiles.write(facts);
      this.#forget();
      await this.#journal.rewrite(state.entries());
    });
  }

  /** Has the journal tell of nothing but what there is. */
  purge(): Promise<void> {
    return this.inTurn(async () => this.#journal.rewrite((await this.#use()).entries()));
  }

  /** Nothing is read or written afterwards. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#changes.run(async () => this.#journal.close());
  }

  /** What is seen is durable, and cannot be changed by who looks. */
  protected async look<T>(look: (state: CatalogState) => T): Promise<T> {
    try {
      await this.#settling;
      return structuredClone(look(await this.#use()));
    } catch (error) {
      throw fileError(error, this.#journal.file);
    }
  }

  protected async inTurn<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await this.#changes.run(work);
    } catch (error) {
      throw fileError(error, this.#journal.file);
    }
  }

  /** Applies a change, and resolves when it is durable. An error whose outcome is unknown names the checkpoint that came with it. */
  protected async apply<T>(change: (state: CatalogState) => T, appended?: CheckpointId): Promise<T> {
    if (this.#journal.isReplaced) this.#forget();
    const state = await this.#use();
    const settled = Promise.withResolvers<void>();
    this.#settling = settled.promise;
    try {
      const result = structuredClone(change(state));
      await this.#writeDown(state, appended);
      return result;
    } catch (error) {
      this.#forget();
      throw error;
    } finally {
      this.#settling = undefined;
      settled.resolve();
    }
  }

  /** What the catalog's loss must not take away is on the disk before the change itself is. */
  async #writeDown(state: CatalogState, appended: CheckpointId | undefined): Promise<void> {
    for (const facts of state.changedFacts()) await this.#options.factsFiles.write(facts);
    for (const sessionId of state.takeForgotten()) await this.#options.factsFiles.remove(sessionId);
    const changes = state.takeChanges();
    if (Object.values(changes).every((value) => !Array.isArray(value) || value.length === 0)) return;
    const revision = this.#journal.revision + 1;
    try {
      await this.#journal.record(changes, () => state.entries());
    } catch (error) {
      const isThere = await this.#isThere(revision).catch((cause: unknown) => {
        throw unknownOutcome(
          appended,
          new AggregateError([error, cause], "A change could not be written, and neither could the journal be read"),
        );
      });
      if (!isThere) throw error;
    }
  }

  /**
   * After a failure nobody knows how much of a change is on the disk. All of it is read, and written anew, so that what is
   * there is there for good.
   */
  async #isThere(revision: number): Promise<boolean> {
    const state = await this.#journal.read();
    if (state === undefined || this.#journal.revision < revision) return false;
    await this.#journal.rewrite(state.entries());
    return true;
  }

  /**
   * Whoever left a blob that was never recorded may have written the facts that were to go with it, and a rebuild without
   * the blob must not go by these.
   */
  protected override async beforeRemoving(refs: readonly BlobRef[]): Promise<void> {
    const state = await this.#use();
    const directories = new Set(state.strays(refs).map(directoryNameOf));
    if (directories.size === 0) return;
    const beside = state.facts().filter(({ sessionId }) => directories.has(fileNameOf(sessionId)));
    for (const facts of beside) await this.#options.factsFiles.correct(facts);
  }

  async #use(): Promise<CatalogState> {
    if (this.#isClosed) throw storeClosed();
    if (this.#state !== undefined) return this.#state;
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  /** @throws STORAGE_UNAVAILABLE with the reason `catalog-lost` or `catalog-damaged`. */
  async #read(): Promise<CatalogState> {
    refuseUnfinishedRestore(this.#options.fs, this.#options.dataDir);
    if (this.#hasDatabase()) throw catalogLost();
    const known = await this.#journal.read();
    if (known === undefined && !(await this.#options.blobs.isEmpty())) throw catalogLost();
    const state = known ?? new CatalogState();
    // From here on it tells what changed.
    state.takeChanges();
    this.#state = state;
    return state;
  }

  protected hasBlob(ref: BlobRef): boolean {
    return this.#options.blobs.has(ref);
  }

  /** The next who needs the state reads it. */
  #forget(): void {
    this.#state = undefined;
    this.#journal.distrust();
  }

  /** The store was used with SQLite, and the journal, if there is one, tells of an earlier time. */
  #hasDatabase(): boolean {
    const found = this.#options.fs.inspect(this.#database);
    return found !== undefined && found.sizeBytes > 0;
  }

  get #database(): string {
    return path.join(this.#options.dataDir, DATABASE);
  }
}

/** Files that SQLite keeps beside a database. */
const BESIDE = ["-wal", "-shm"];
