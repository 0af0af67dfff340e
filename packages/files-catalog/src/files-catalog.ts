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
  answered,
  type BlobRef,
  type CatalogContent,
  type CatalogPort,
  changesOf,
  decided,
  type Facts,
  MemoryTables,
  type Read,
  type Reads,
  type RecoveryPort,
  type Rule,
  SerialQueue,
  type SessionFacts,
  type Settled,
} from "@workrail/core";
import path from "node:path";
import { CatalogJournal } from "./catalog-journal.ts";
import { allEntries, changedEntries } from "./journal-entries.ts";
import { tablesOf } from "./tables-of.ts";

export interface FilesCatalogOptions {
  readonly dataDir: string;
  readonly fs: FileSystem;
  readonly blobs: FileBlobStore;
  readonly factsFiles: SessionFactsFiles;
}

/**
 * Catalog rows in memory, with a journal of their changes on disk. This process has the store to itself.
 *
 * Changes run one after another: each is decided and applied in memory, then written to the journal, and is not visible in between. If the
 * write fails, the rows are dropped and read again.
 */
export class FilesCatalog implements CatalogPort, RecoveryPort {
  readonly #options: FilesCatalogOptions;
  readonly #journal: CatalogJournal;
  readonly #changes = new SerialQueue();
  #tables: MemoryTables | undefined;
  #reading: Promise<MemoryTables> | undefined;
  /** Pending while the rows in memory are ahead of the disk. */
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
    this.#options = options;
    this.#journal = new CatalogJournal(options.dataDir, options.fs);
  }

  /** Returns copies of durable rows only. */
  async read<const R extends Reads>(reads: R): Promise<Facts<R>> {
    try {
      await this.#settling;
      const tables = await this.#use();
      return structuredClone(answered(reads, (read) => tables.answer(read)));
    } catch (error) {
      throw fileError(error, this.#journal.file);
    }
  }

  change<Out>(rule: Rule<Out>): Promise<Out> {
    return this.#inTurn(async () => {
      if (this.#journal.isReplaced) this.#forget();
      const tables = await this.#use();
      const decision = decided(rule, { answer: (read: Read) => tables.answer(read), keepsFacts: true });
      await this.#correctFacts(tables, decision.strays ?? []);
      if ((await decision.blobs?.()) === false) return decision.withdrawn as Out;
      await this.#apply(tables, decision);
      return structuredClone(decision.outcome);
    });
  }

  /** The whole journal was read and checked when it was opened: there is nothing deeper to read. */
  state(): Promise<"sound" | "lost"> {
    return this.#inTurn(async () => {
      try {
        const { isPristine } = await this.#use();
        return isPristine && !(await this.#options.blobs.isEmpty()) ? "lost" : "sound";
      } catch (error) {
        if (isCatalogLoss(error)) return "lost";
        throw error;
      }
    });
  }

  sessionFacts(): AsyncIterable<SessionFacts> {
    return this.#options.factsFiles.readAll();
  }

  replaceAll(content: CatalogContent, old: "kept-aside" | "erased"): Promise<void> {
    return this.#inTurn(() => (old === "erased" ? this.#rewrite(content) : this.#replaceLost(content)));
  }

  /** Rewrites the journal, so that it contains the current content only. */
  purge(): Promise<void> {
    return this.#inTurn(async () => this.#journal.rewrite(allEntries(await this.#use())));
  }

  /** Closes the journal. Nothing is read or written afterwards. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#changes.run(async () => this.#journal.close());
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await this.#changes.run(work);
    } catch (error) {
      throw fileError(error, this.#journal.file);
    }
  }

  /** Applies a decision, and resolves when it is durable. An error with unknown outcome names the appended checkpoint. */
  async #apply(tables: MemoryTables, decision: Settled<unknown>): Promise<void> {
    const settled = Promise.withResolvers<void>();
    this.#settling = settled.promise;
    try {
      const { rows, audit, auditThrough } = decision;
      tables.apply(structuredClone({ rows, audit, auditThrough }));
      await this.#writeDown(tables, decision);
    } catch (error) {
      this.#forget();
      throw error;
    } finally {
      this.#settling = undefined;
      settled.resolve();
    }
  }

  /** Writes a decision. Facts that must survive the loss of the catalog are on disk before the change itself. */
  async #writeDown(tables: MemoryTables, decision: Settled<unknown>): Promise<void> {
    for (const facts of decision.facts) await this.#options.factsFiles.write(facts);
    for (const sessionId of decision.forgotten ?? []) await this.#options.factsFiles.remove(sessionId);
    const changes = changedEntries(tables, decision);
    if (Object.values(changes).every((value) => !Array.isArray(value) || value.length === 0)) return;
    const revision = this.#journal.revision + 1;
    try {
      await this.#journal.record(changes, () => allEntries(tables));
    } catch (error) {
      const isThere = await this.#isThere(revision).catch((cause: unknown) => {
        throw unknownOutcome(
          changesOf("checkpoint", decision.rows).find(({ was }) => was === undefined)?.now?.record.id,
          new AggregateError([error, cause], "A change could not be written, and neither could the journal be read"),
        );
      });
      if (!isThere) throw error;
    }
  }

  /** Tells whether a change is on disk after a failed write. Reads the journal and rewrites it, so that a change found there is durable. */
  async #isThere(revision: number): Promise<boolean> {
    const lines = await this.#journal.read();
    if (lines === undefined || this.#journal.revision < revision) return false;
    await this.#journal.rewrite(allEntries(tablesOf(lines, this.#hasBlob)));
    return true;
  }

  /**
   * Corrects the facts of sessions with unrecorded blobs: an interrupted save may have written facts for its blob, which a rebuild must not
   * use without the blob.
   */
  async #correctFacts(tables: MemoryTables, strays: readonly BlobRef[]): Promise<void> {
    const directories = new Set(strays.map(directoryNameOf));
    if (directories.size === 0) return;
    const beside = tables.sessionFacts.filter(({ sessionId }) => directories.has(fileNameOf(sessionId)));
    for (const facts of beside) await this.#options.factsFiles.correct(facts);
  }

  async #rewrite({ rows, audit, facts }: CatalogContent): Promise<void> {
    const lastCommit = await this.#lastCommit();
    for (const each of facts) await this.#options.factsFiles.write(each);
    this.#forget();
    await this.#journal.rewrite(allEntries(new MemoryTables(this.#hasBlob, { rows, audit, lastCommit })));
  }

  /** An interrupted copy has blobs and no journal yet. */
  async #lastCommit(): Promise<number> {
    try {
      return (await this.#use()).lastCommit;
    } catch (error) {
      if (!isCatalogLoss(error) || this.#hasDatabase()) throw error;
      return 0;
    }
  }

  /**
   * Writes the new journal before the database of a store used with SQLite is moved away: with both files present the catalog still counts
   * as lost.
   */
  async #replaceLost({ rows, audit }: CatalogContent): Promise<void> {
    const { fs, dataDir } = this.#options;
    refuseUnfinishedRestore(fs, dataDir);
    this.#forget();
    await this.#journal.replace(allEntries(new MemoryTables(this.#hasBlob, { rows, audit, lastCommit: 0 })));
    setAside(fs, this.#database, BESIDE);
    await fs.syncDirectory(dataDir);
  }

  async #use(): Promise<MemoryTables> {
    if (this.#isClosed) throw storeClosed();
    if (this.#tables !== undefined) return this.#tables;
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  /** @throws STORAGE_UNAVAILABLE with the reason `catalog-lost` or `catalog-damaged`. */
  async #read(): Promise<MemoryTables> {
    refuseUnfinishedRestore(this.#options.fs, this.#options.dataDir);
    if (this.#hasDatabase()) throw catalogLost();
    const known = await this.#journal.read();
    if (known === undefined && !(await this.#options.blobs.isEmpty())) throw catalogLost();
    this.#tables = tablesOf(known ?? [], this.#hasBlob);
    return this.#tables;
  }

  readonly #hasBlob = (ref: BlobRef): boolean => this.#options.blobs.has(ref);

  /** Drops the rows; the next use reads them again. */
  #forget(): void {
    this.#tables = undefined;
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
