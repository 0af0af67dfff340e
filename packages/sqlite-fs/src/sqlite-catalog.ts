import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { type FileBlobStore, type FileSystem, isCatalogLoss, type SessionFactsFiles, unknownOutcome } from "@workrail/blob-files";
import {
  answered,
  type AuditPlace,
  type BlobRef,
  type CatalogContent,
  type CatalogPort,
  changesOf,
  type CheckpointId,
  decided,
  type Facts,
  type Log,
  type Read,
  type Reads,
  type RecoveryPort,
  type Rule,
  SerialQueue,
  type SessionFacts,
  type Settled,
  survivingFacts,
  survivingReads,
} from "@workrail/core";
import { answerRead } from "./answer-read.ts";
import { clearRows, putRows } from "./apply-rows.ts";
import { askAfresh } from "./ask-afresh.ts";
import { expectSound, isWholeCheckDue, noteWholeCheck } from "./catalog-checks.ts";
import { CatalogDatabase } from "./catalog-database.ts";
import { cutLog } from "./cut-log.ts";
import { recount, derivedDamaged, WRONG } from "./discrepancies.ts";
import type { Migration } from "./migrations.ts";
import { withQueryBuilder } from "./statement-of.ts";
import { proveCheckpoints, proveSessionsAndTrash } from "./prove-rows.ts";
import { isBusy, retryWhileBusy } from "./retry-while-busy.ts";
import { sessionsBeside } from "./sessions-beside.ts";
import type { JournalMode, SqliteConnection } from "./sqlite-connection.ts";
import type { OpenDatabase, SqliteDriverName } from "./sqlite-driver.ts";
import { storageError } from "./storage-errors.ts";

export interface SqliteCatalogOptions {
  readonly dataDir: string;
  readonly fs: FileSystem;
  readonly driver: SqliteDriverName;
  readonly openDatabase: OpenDatabase;
  readonly log: Log;
  readonly blobs: Pick<FileBlobStore, "has" | "isEmpty" | "ensureDirectory">;
  readonly factsFiles: SessionFactsFiles;
  readonly journal: JournalMode;
  /** True when the last processes did not close the database: the machine may have stopped during a write. */
  readonly isLeftOver: boolean;
  /** Longest wait for the write lock. */
  readonly lockWaitMs: number;
  /** Default: the migrations of this version. */
  readonly migrations?: readonly Migration[] | undefined;
  /** True when the database is only read: nothing is committed to it. Default `false`. */
  readonly isForReading?: boolean | undefined;
  /** True for a copy of a database whose tables were checked a moment ago. Default `false`. */
  readonly isProven?: boolean | undefined;
}

/**
 * The catalog in `workrail.db`. Answers reads and applies rows. Writes of this process wait in a queue here. Writes of different
 * processes compete for `BEGIN IMMEDIATE`, which is retried with jitter.
 */
export class SqliteCatalog implements CatalogPort, RecoveryPort {
  readonly #options: SqliteCatalogOptions;
  readonly #database: CatalogDatabase;
  readonly #writes = new SerialQueue();
  #isLeftOver: boolean;

  /** Opens the catalog. A lost or damaged catalog is opened too, so that it can be rebuilt; all other calls then fail. */
  static async open(options: SqliteCatalogOptions): Promise<SqliteCatalog> {
    const catalog = new SqliteCatalog(options);
    try {
      await catalog.#database.connect();
    } catch (cause) {
      const error = storageError(cause, catalog.#database.file);
      if (!isCatalogLoss(error)) throw error;
    }
    return catalog;
  }

  private constructor(options: SqliteCatalogOptions) {
    this.#options = options;
    this.#isLeftOver = options.isLeftOver;
    this.#database = new CatalogDatabase({
      ...options,
      ensureDirectory: (directory) => options.blobs.ensureDirectory(directory),
      hasBlobs: async () => !(await options.blobs.isEmpty()),
    });
  }

  /** True when this process repaired the catalog in place since it was opened. */
  get isMended(): boolean {
    return this.#database.isMended;
  }

  /** The current journal mode of the database. */
  get journal(): JournalMode {
    return this.#database.journal;
  }

  async read<const R extends Reads>(reads: R): Promise<Facts<R>> {
    // Read the mark before the rows: a later mark may name a row that this read does not see.
    const noted = await this.#noted(reads);
    return this.#read((connection) => {
      const answer = this.#answering(connection, noted);
      // One read is of one moment by itself.
      if (Object.keys(reads).length < 2) return answered(reads, answer);
      connection.statement("BEGIN").run();
      try {
        return answered(reads, answer);
      } finally {
        connection.abandon();
      }
    });
  }

  change<Out>(rule: Rule<Out>): Promise<Out> {
    return this.#writes.run(async () => {
      const noted = await this.#noted(rule.reads);
      const writer = await this.#begin();
      const change = await this.#carryOut(writer, rule, noted);
      if (change.isToCommit) await this.#finish(writer, change);
      return change.outcome;
    });
  }

  async state({ deep }: { readonly deep?: "always" | "ifDue" | undefined } = {}): Promise<"sound" | "lost"> {
    if (deep !== undefined) await this.#examine(deep === "always");
    return this.#writes.run(async () => {
      this.reopenIfReplaced();
      return (await this.#database.isLost()) ? "lost" : "sound";
    });
  }

  sessionFacts(): AsyncIterable<SessionFacts> {
    return this.#options.factsFiles.readAll();
  }

  replaceAll(content: CatalogContent, old: "kept-aside" | "erased"): Promise<void> {
    return old === "erased" ? this.#overwrite(content) : this.#replace(content);
  }

  /** Disconnects when another process replaced or removed the database file; the next call opens the new file. */
  reopenIfReplaced(): void {
    try {
      if (this.#database.isOutdated()) this.#database.disconnect();
    } catch (error) {
      throw this.#failure(error);
    }
  }

  /** Moves the pages of the write-ahead log into the database and truncates the log, unless another connection is reading it. */
  async emptyLog(): Promise<void> {
    await this.#cutLog(0);
  }

  /**
   * Erases the remains of removed rows from the database and its log. Rewrites all pages (`VACUUM`), because a row that was moved
   * within a page leaves traces that a deletion does not overwrite. Returns `false` when other connections read the log for so
   * long that the log could not be truncated.
   */
  async purge(): Promise<boolean> {
    await this.#writes.run(async () => {
      try {
        const { writer } = await this.#database.connect();
        await retryWhileBusy(() => writer.exec("VACUUM"), this.#options.lockWaitMs);
      } catch (error) {
        throw this.#failure(error);
      }
    });
    return this.#cutLog(this.#options.lockWaitMs);
  }

  #cutLog(waitMs: number): Promise<boolean> {
    return this.#writes.run(async () => {
      try {
        const { writer } = await this.#database.connect();
        return await cutLog((sql) => writer.statement(sql).get(), waitMs);
      } catch (error) {
        throw this.#failure(error);
      }
    });
  }

  async close(): Promise<void> {
    await this.#writes.run(async () => this.#database.close());
  }

  /** Answers the reads of a rule, and applies what it decides. Ends the transaction unless there is something to commit. */
  async #carryOut<Out>(writer: SqliteConnection, rule: Rule<Out>, noted: AuditPlace | undefined): Promise<Change<Out>> {
    try {
      const asked = new Set<Read["of"]>();
      const answer = this.#answering(writer, noted, asked);
      const decision = await withQueryBuilder(() => decided(rule, { answer, keepsFacts: true }));
      const { rows, audit, auditThrough, strays } = decision;
      if (strays !== undefined) await this.#correctFacts(writer, strays);
      const last = putRows(writer, decision);
      // A rule that asks for contradictions corrects the rows. Totals that triggers keep are not rows: the database counts them anew.
      const corrects = asked.has("contradictions");
      if (corrects) recount(writer);
      await this.#writeFacts(decision);
      const isWithdrawn = (await decision.blobs?.()) === false;
      // After the blobs: as long as one is left, a rebuild must know that it was removed.
      for (const sessionId of isWithdrawn ? [] : (decision.forgotten ?? [])) await this.#options.factsFiles.remove(sessionId);
      const changes = corrects || rows.length + audit.length > 0 || auditThrough !== undefined;
      const isToCommit = changes && !isWithdrawn;
      if (!isToCommit) writer.exec("ROLLBACK");
      return { outcome: isWithdrawn ? (decision.withdrawn as Out) : decision.outcome, isToCommit, last, rows };
    } catch (error) {
      // Files that were unlinked stay unlinked. The next run finds their pending removals again and has nothing to unlink.
      throw this.#rolledBack(writer, error);
    }
  }

  /** Writes session facts before the COMMIT, because they must survive the loss of the catalog. */
  async #writeFacts({ facts }: Pick<Settled<unknown>, "facts">): Promise<void> {
    for (const each of facts) await this.#options.factsFiles.write(each);
  }

  /**
   * Corrects the facts of sessions with unrecorded blobs: an interrupted save may have written facts for its blob, which a rebuild must
   * not use without the blob.
   */
  async #correctFacts(writer: SqliteConnection, strays: readonly BlobRef[]): Promise<void> {
    for (const id of sessionsBeside(writer, strays)) {
      const before = await withQueryBuilder(() => answered(survivingReads(id), this.#answering(writer, undefined)));
      for (const facts of survivingFacts(id, [], before).facts) await this.#options.factsFiles.correct(facts);
    }
  }

  /** Returns a function that answers reads. @param asked gets the kinds of the reads. */
  #answering(connection: SqliteConnection, noted: AuditPlace | undefined, asked?: Set<Read["of"]>): (read: Read) => unknown {
    return (read) => {
      asked?.add(read.of);
      if (read.of === "mark") return noted;
      return read.of === "blob" ? this.#options.blobs.has(read.ref) : answerRead(connection, read);
    };
  }

  async #noted(reads: Reads): Promise<AuditPlace | undefined> {
    if (!Object.values(reads).some(({ of }) => of === "mark")) return undefined;
    try {
      return await this.#database.notedPlace();
    } catch (error) {
      throw this.#failure(error);
    }
  }

  /** Fills a new database and puts it in the place of this one. */
  #replace(content: CatalogContent): Promise<void> {
    return this.#writes.run(async () => {
      try {
        await this.#writeFacts(content);
        await this.#database.replace((database) => void putRows(database, content));
      } catch (error) {
        throw this.#failure(error);
      }
    });
  }

  /** Replaces the rows of this database, and erases the remains of the old ones from its file and its log. */
  async #overwrite(content: CatalogContent): Promise<void> {
    await this.#writes.run(async () => {
      const writer = await this.#begin();
      try {
        clearRows(writer);
        putRows(writer, content);
        recount(writer);
        await this.#writeFacts(content);
        await this.#commit(writer);
        // The old values are still in free pages and in the log.
        writer.exec("VACUUM");
      } catch (error) {
        throw this.#rolledBack(writer, error);
      }
    });
    await this.emptyLog();
  }

  /** Checks the whole catalog when that is due. A damaged catalog counts as lost afterwards, unless it can be mended. */
  async #examine(isDue: boolean): Promise<void> {
    if (!isDue && !this.#isLeftOver && !(await this.#read(isWholeCheckDue))) return;
    try {
      await this.#proveAll();
      await this.#noteWholeCheck();
      this.#isLeftOver = false;
    } catch (cause) {
      const error = this.#failure(cause);
      if (!isCatalogLoss(error)) throw error;
    }
  }

  #noteWholeCheck(): Promise<void> {
    return this.#writes.run(async () => {
      const writer = await this.#begin();
      try {
        noteWholeCheck(writer);
        await this.#commit(writer);
      } catch (error) {
        throw this.#rolledBack(writer, error);
      }
    });
  }

  async #read<T>(read: (connection: SqliteConnection) => T): Promise<T> {
    try {
      const { reader, writer } = await this.#database.connect();
      const work = (): T => {
        try {
          // The page cache of the writer is warm: each write makes that of the reader stale.
          if (this.#writes.isIdle) return read(writer);
        } catch (error) {
          // Only the reader waits for locks inside SQLite.
          if (!isBusy(error)) throw error;
        }
        return read(reader);
      };
      return await withQueryBuilder(() => retryWhileBusy(work, this.#options.lockWaitMs));
    } catch (error) {
      throw this.#failure(error);
    }
  }

  /** Checks the whole catalog while other calls go on. A database of a newer version gets only SQLite's own check. */
  async #proveAll(): Promise<void> {
    const ask = (statements: readonly string[]) => askAfresh(this.#database.file, this.#options, statements);
    expectSound(await ask(["PRAGMA integrity_check(1)"]));
    if (await this.#read((reader) => this.#database.isNewer(reader))) return;
    await this.#read(proveSessionsAndTrash);
    for (let after: number | undefined = 0; after !== undefined;) {
      const from: number = after;
      after = await this.#read((reader) => proveCheckpoints(reader, from));
      await yieldToEventLoop();
    }
    // After the rows: these queries parse the JSON texts in the rows.
    if ((await ask(WRONG)).some((row) => Object.keys(row).length > 0)) throw derivedDamaged();
  }

  /** Begins a write transaction on the database file that is at the path now. */
  async #begin(): Promise<SqliteConnection> {
    try {
      for (;;) {
        const { writer } = await this.#database.connect();
        await retryWhileBusy(() => writer.exec("BEGIN IMMEDIATE"), this.#options.lockWaitMs);
        try {
          if (!this.#database.isReplaced() && !writer.isMigrated()) return writer;
        } catch (error) {
          // Otherwise the write lock would stay held.
          throw this.#rolledBack(writer, error);
        }
        this.#database.disconnect();
      }
    } catch (error) {
      throw this.#failure(error);
    }
  }

  /** Commits. COMMIT is retried while busy, because without WAL it waits for readers. */
  async #commit(writer: SqliteConnection, last?: AuditPlace): Promise<void> {
    await retryWhileBusy(() => writer.exec("COMMIT"), this.#options.lockWaitMs);
    this.#database.committed({ writer }, last);
  }

  /**
   * Commits a change. When COMMIT itself fails, the transaction may or may not be durable: a new connection shows the state after
   * SQLite's recovery. The blob stays in either case.
   */
  async #finish(writer: SqliteConnection, { rows, last }: Change<unknown>): Promise<void> {
    try {
      await this.#commit(writer, last);
    } catch (error) {
      // Busy is not a failed commit: nothing was written.
      if (isBusy(error)) throw this.#rolledBack(writer, error);
      const added = changesOf("checkpoint", rows).find(({ was }) => was === undefined);
      if (!(await this.#hasRecord(added?.now?.record.id, error))) throw this.#failure(error);
    }
  }

  /**
   * True when the record is in the database after a failed COMMIT.
   *
   * @throws an unknown outcome when there is no record to look for, or the lookup fails.
   */
  async #hasRecord(id: CheckpointId | undefined, failure: unknown): Promise<boolean> {
    try {
      this.#database.disconnect();
      if (id === undefined) throw failure;
      const { reader } = await this.#database.connect();
      const look = () => reader.statement("SELECT 1 FROM checkpoint WHERE id = ?").get(id) !== undefined;
      return await retryWhileBusy(look, this.#options.lockWaitMs);
    } catch (cause) {
      const failures = cause === failure ? failure : new AggregateError([failure, cause], "COMMIT failed, and so did looking for it");
      throw unknownOutcome(id, failures);
    }
  }

  /** Translates an error. Condemns the database when the error shows that it is damaged, so that it is mended or rebuilt. */
  #failure(error: unknown): unknown {
    const failure = storageError(this.#database.explain(error), this.#database.file);
    if (isCatalogLoss(failure)) this.#database.condemn();
    return failure;
  }

  /** Rolls back a failed transaction and translates its error. */
  #rolledBack(writer: SqliteConnection, error: unknown): unknown {
    try {
      writer.exec("ROLLBACK");
    } catch {
      // SQLite already rolled back (a full disk, an I/O error). A new connection starts clean.
      this.#database.disconnect();
    }
    return this.#failure(error);
  }
}

/** Change that was carried out, before its COMMIT. */
interface Change<Out> {
  readonly outcome: Out;
  /** False when the transaction is rolled back, because nothing changes in the database. */
  readonly isToCommit: boolean;
  /** The last audit row of the change. */
  readonly last: AuditPlace | undefined;
  readonly rows: Settled<unknown>["rows"];
}
