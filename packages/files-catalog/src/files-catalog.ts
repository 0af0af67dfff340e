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
 * A catalog in memory, with a journal of its changes on disk. This process has the store to itself.
 *
 * Changes run one after another: each is decided and applied in memory, then written to the journal, and is not visible in between. If the
 * write fails, the state is dropped and read again.
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

  /** Opens the catalog. A lost or damaged one is opened too, for a rebuild; every other operation then fails. */
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

  /** No-op: the whole journal was read and checked when it was opened. */
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

  /**
   * Writes the new journal before the database of a store used with SQLite is moved away: with both files present the catalog still counts
   * as lost.
   */
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

  /** Rewrites the journal, so that it contains the current state only. */
  purge(): Promise<void> {
    return this.inTurn(async () => this.#journal.rewrite((await this.#use()).entries()));
  }

  /** Closes the journal. Nothing is read or written afterwards. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#changes.run(async () => this.#journal.close());
  }

  /** Returns a copy of durable state only. */
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

  /** Applies a change, and resolves when it is durable. An error with unknown outcome names the appended checkpoint. */
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

  /** Writes a change. Facts that must survive the loss of the catalog are on disk before the change itself. */
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

  /** Tells whether a change is on disk after a failed write. Reads the journal and rewrites it, so that a change found there is durable. */
  async #isThere(revision: number): Promise<boolean> {
    const state = await this.#journal.read();
    if (state === undefined || this.#journal.revision < revision) return false;
    await this.#journal.rewrite(state.entries());
    return true;
  }

  /**
   * Corrects the facts of sessions with unrecorded blobs: an interrupted save may have written facts for its blob, which a rebuild must not
   * use without the blob.
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
    // Reset the record of changes.
    state.takeChanges();
    this.#state = state;
    return state;
  }

  protected hasBlob(ref: BlobRef): boolean {
    return this.#options.blobs.has(ref);
  }

  /** Drops the state; the next use reads it again. */
  #forget(): void {
    this.#state = undefined;
    this.#journal.distrust();
  }

  /** True when the store was used with SQLite; a journal is then out of date. */
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
