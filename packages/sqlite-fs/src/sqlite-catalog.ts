import { hash } from "node:crypto";
import { setImmediate as turnOfTheLoop } from "node:timers/promises";
import { type FileBlobStore, type FileSystem, isCatalogLoss, type SessionFactsFiles, unknownOutcome } from "@workrail/blob-files";
import {
  auditCheck,
  type AuditCheck,
  type AuditCut,
  type AuditDigest,
  type AuditEvent,
  type AuditQuery,
  type AuditWalk,
  type BlobRef,
  type Catalog,
  type CatalogChange,
  type CatalogRecovery,
  changePage,
  type ChangePage,
  type ChangeQuery,
  type CheckpointId,
  type CheckpointPage,
  type CheckpointQuery,
  type CheckpointRecord,
  type CommitOutcome,
  type Discrepancies,
  type Erasure,
  type Log,
  type LoggedEvent,
  type NewRecord,
  type RemoveBlob,
  type Rewriting,
  SerialQueue,
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
import { askInThread } from "./ask-in-thread.ts";
import { auditRows } from "./audit-queries.ts";
import { expectSound, isWholeCheckDue, noteWholeCheck } from "./catalog-checks.ts";
import { CatalogDatabase } from "./catalog-database.ts";
import { CatalogWrites } from "./catalog-writes.ts";
import { countQuery, cursorOf, pageQuery } from "./checkpoint-queries.ts";
import { cutLog } from "./cut-log.ts";
import { derivedDamaged, discrepanciesOf, reconcile, WRONG } from "./discrepancies.ts";
import { headOf } from "./head-of.ts";
import type { Migration } from "./migrations.ts";
import { proveCheckpoints, proveSessionsAndTrash } from "./prove-rows.ts";
import { isBusy, retryWhileBusy } from "./retry-while-busy.ts";
import { recordOf, sessionOf } from "./rows.ts";
import type { CheckpointRow, CountedSessionRow } from "./schema.ts";
import type { JournalMode, SqliteConnection } from "./sqlite-connection.ts";
import type { OpenDatabase, SqliteDriverName } from "./sqlite-driver.ts";
import { storageError } from "./storage-errors.ts";
import { DAMAGED_COUNT, erasuresOf, sessionPage, storeUsage, trashPage } from "./usage-queries.ts";

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
  /** How long to wait for the write lock. */
  readonly lockWaitMs: number;
  /** Default: the migrations of this version. */
  readonly migrations?: readonly Migration[] | undefined;
  /** True when the database is only read: nothing is committed to it. Default `false`. */
  readonly isForReading?: boolean | undefined;
  /** True for a copy of a database whose tables were checked a moment ago. Default `false`. */
  readonly isProven?: boolean | undefined;
}

/** Pending removals processed in one transaction: few enough that a waiting save is hardly delayed. */
const RECLAIM_BATCH = 100;

/**
 * The catalog in `workrail.db`. Writes of this process wait in a queue here. Writes of different processes compete for
 * `BEGIN IMMEDIATE`, which is retried with jitter.
 */
export class SqliteCatalog implements Catalog, CatalogRecovery {
  readonly #options: SqliteCatalogOptions;
  readonly #database: CatalogDatabase;
  readonly #writes = new SerialQueue();
  #isLeftOver: boolean;
  /** The digest that chains the audit log of a sealed store. `undefined`: SHA-256. */
  #keyed: AuditDigest | undefined;

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

  async commit(change: CatalogChange): Promise<CommitOutcome> {
    return this.#writes.run(async () => {
      const writer = await this.#begin();
      const writes = new CatalogWrites(writer, this.#digest);
      let outcome: CommitOutcome;
      try {
        outcome = writes.apply(change, (ref) => this.#options.blobs.has(ref));
        if (outcome.status !== "committed") {
          writer.exec("ROLLBACK");
          return outcome;
        }
        for (const facts of writes.changedFacts()) await this.#options.factsFiles.write(facts);
        for (const sessionId of outcome.forgotten) await this.#options.factsFiles.remove(sessionId);
      } catch (error) {
        throw this.#rolledBack(writer, error);
      }
      return this.#finish(writer, outcome);
    });
  }

  async find(id: CheckpointId): Promise<CheckpointRecord | undefined> {
    return this.#read((reader) => {
      const row = reader.statement("SELECT * FROM checkpoint WHERE id = ?").get(id);
      return row === undefined ? undefined : recordOf(row as CheckpointRow);
    });
  }

  async head(session: SessionId): Promise<CheckpointRecord | undefined> {
    return this.#read((reader) => headOf(reader, session));
  }

  async list(query: CheckpointQuery): Promise<CheckpointPage> {
    return this.#read((reader) => {
      const page = pageQuery(query);
      const count = countQuery(query.filter);
      const rows = reader.statement(page.sql).all(...page.parameters) as CheckpointRow[];
      const { total } = reader.statement(count.sql).get(...count.parameters) as { total: number };
      const shown = rows.slice(0, query.limit);
      const last = shown.at(-1);
      const next = rows.length > query.limit && last !== undefined ? cursorOf(query.filter, last) : undefined;
      return { records: shown.map(recordOf), total, next };
    });
  }

  async session(id: SessionId): Promise<Session | undefined> {
    return this.#read((reader) => {
      const row = reader.statement(SESSION).get(id);
      return row === undefined ? undefined : sessionOf(row as CountedSessionRow);
    });
  }

  async sessions(query: SessionQuery): Promise<SessionPage> {
    return this.#read((reader) => sessionPage(reader, query));
  }

  async trash(query: TrashQuery): Promise<TrashPage> {
    return this.#read((reader) => trashPage(reader, query));
  }

  async usage(): Promise<StoreUsage> {
    return this.#read(storeUsage);
  }

  async auditLog(query: AuditQuery): Promise<readonly LoggedEvent[]> {
    return this.#read((reader) => auditRows(reader, query));
  }

  async checkAudit(walk: AuditWalk): Promise<AuditCheck> {
    // Read the mark before the rows: a later mark may name a row that this read does not see.
    const noted = await this.#database.notedPlace();
    const check = await this.#read((reader) => auditCheck((query) => auditRows(reader, query), walk, this.#digest));
    return { ...check, noted, isKeyed: this.#keyed !== undefined };
  }

  cutAudit(cut: AuditCut): Promise<number> {
    return this.#write((writes) => writes.cutAudit(cut));
  }

  chainBy(digest: AuditDigest | undefined): void {
    this.#keyed = digest;
  }

  async changes(query: ChangeQuery): Promise<ChangePage | undefined> {
    return this.#read((reader) => changePage((rows) => auditRows(reader, rows), query));
  }

  async replaceBlob(expected: CheckpointRecord, becomes: StoredForm, write: () => Promise<void>): Promise<boolean> {
    return this.#writes.run(async () => {
      const writer = await this.#begin();
      try {
        const isExpected = new CatalogWrites(writer, this.#digest).changeForm(expected, becomes);
        if (isExpected) await write();
        await this.#end(writer, isExpected);
        return isExpected;
      } catch (error) {
        throw this.#rolledBack(writer, error);
      }
    });
  }

  async markDamaged(expected: CheckpointRecord, audit: AuditEvent, putAside: () => Promise<boolean>): Promise<boolean> {
    return this.#writes.run(async () => {
      const writer = await this.#begin();
      try {
        const isMarked = new CatalogWrites(writer, this.#digest).markDamaged(expected, audit) && (await putAside());
        await this.#end(writer, isMarked);
        return isMarked;
      } catch (error) {
        throw this.#rolledBack(writer, error);
      }
    });
  }

  async reconcile(repair: boolean): Promise<Discrepancies> {
    if (!repair) return this.#read(discrepanciesOf);
    return this.#write((_, writer) => {
      const found = discrepanciesOf(writer);
      reconcile(writer, found);
      return found;
    });
  }

  async erasures(): Promise<readonly Erasure[]> {
    return this.#read(erasuresOf);
  }

  async reclaim(refs: readonly BlobRef[] | undefined, remove: RemoveBlob): Promise<readonly BlobRef[]> {
    const removed = new Set<BlobRef>();
    // A removed blob may have been the last one that needed another blob, which can then be removed too.
    for (;;) {
      const waiting = refs?.filter((ref) => !removed.has(ref));
      const batch = await this.#writes.run(() => this.#reclaimSome(waiting, remove));
      for (const ref of batch) removed.add(ref);
      if (batch.length === 0) return [...removed];
    }
  }

  holdRemovals(holder: string, until: Date): Promise<void> {
    return this.#write((writes) => writes.hold(holder, until));
  }

  releaseRemovals(holder: string): Promise<void> {
    return this.#write((writes) => writes.release(holder));
  }

  sessionFacts(): AsyncIterable<SessionFacts> {
    return this.#options.factsFiles.readAll();
  }

  async needsRebuild(): Promise<boolean> {
    return this.#writes.run(async () => {
      this.reopenIfReplaced();
      return this.#database.isLost();
    });
  }

  async examine({ isDue = false }: { readonly isDue?: boolean } = {}): Promise<void> {
    if (!isDue && !this.#isLeftOver && !(await this.#read(isWholeCheckDue))) return;
    try {
      await this.#proveAll();
      await this.#write((_, writer) => noteWholeCheck(writer));
      this.#isLeftOver = false;
    } catch (cause) {
      const error = this.#failure(cause);
      if (!isCatalogLoss(error)) throw error;
    }
  }

  async replaceAll(records: readonly NewRecord[], sessions: readonly SessionFacts[], audit: AuditEvent): Promise<void> {
    // Copied now: the caller may change the arrays before they are read.
    const [givenRecords, givenSessions] = [[...records], [...sessions]];
    return this.#writes.run(async () => {
      try {
        await this.#database.replace((database) => new CatalogWrites(database, this.#digest).fill(givenRecords, givenSessions, audit));
      } catch (error) {
        throw this.#failure(error);
      }
    });
  }

  async rewrite(rewriting: Rewriting): Promise<void> {
    await this.#writes.run(async () => {
      const writer = await this.#begin();
      const writes = new CatalogWrites(writer, sha256);
      try {
        writes.rewrite(rewriting);
        for (const facts of writes.changedFacts()) await this.#options.factsFiles.write(facts);
        await this.#end(writer, true);
        this.#keyed = rewriting.chained.to;
        // The old values are still in free pages and in the log.
        writer.exec("VACUUM");
      } catch (error) {
        throw this.#rolledBack(writer, error);
      }
    });
    await this.emptyLog();
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

  get #digest(): AuditDigest {
    return this.#keyed ?? sha256;
  }

  async #read<T>(read: (connection: SqliteConnection) => T): Promise<T> {
    try {
      const { reader, writer } = await this.#database.connect();
      const work = () => (this.#writes.isIdle ? readWarm(read, writer, reader) : read(reader));
      return await retryWhileBusy(work, this.#options.lockWaitMs);
    } catch (error) {
      throw this.#failure(error);
    }
  }

  /** Checks the whole catalog while other calls go on. A database of a newer version gets only SQLite's own check. */
  async #proveAll(): Promise<void> {
    const ask = (statements: readonly string[]) => askInThread(this.#database.file, this.#options.driver, statements);
    expectSound(await ask(["PRAGMA integrity_check(1)"]));
    if (await this.#read((reader) => this.#database.isNewer(reader))) return;
    await this.#read(proveSessionsAndTrash);
    for (let after: number | undefined = 0; after !== undefined;) {
      const from: number = after;
      after = await this.#read((reader) => proveCheckpoints(reader, from));
      await turnOfTheLoop();
    }
    // After the rows: these queries parse the JSON texts in the rows.
    if ((await ask(WRONG)).some((row) => Object.keys(row).length > 0)) throw derivedDamaged();
  }

  /** Runs `write` in one transaction that changes nothing outside of the database. */
  #write<T>(write: (writes: CatalogWrites, writer: SqliteConnection) => T): Promise<T> {
    return this.#writes.run(async () => {
      const writer = await this.#begin();
      try {
        const result = write(new CatalogWrites(writer, this.#digest), writer);
        await this.#end(writer, true);
        return result;
      } catch (error) {
        throw this.#rolledBack(writer, error);
      }
    });
  }

  /**
   * True when the file or its schema was replaced. Runs within a transaction, and rolls the transaction back when the check fails:
   * otherwise the write lock would stay held.
   */
  #isAnother(writer: SqliteConnection): boolean {
    try {
      return this.#database.isReplaced() || writer.isMigrated();
    } catch (error) {
      throw this.#rolledBack(writer, error);
    }
  }

  /** Begins a write transaction on the database file that is at the path now. */
  async #begin(): Promise<SqliteConnection> {
    try {
      for (;;) {
        const { writer } = await this.#database.connect();
        await retryWhileBusy(() => writer.exec("BEGIN IMMEDIATE"), this.#options.lockWaitMs);
        if (!this.#isAnother(writer)) return writer;
        this.#database.disconnect();
      }
    } catch (error) {
      throw this.#failure(error);
    }
  }

  async #reclaimSome(refs: readonly BlobRef[] | undefined, remove: RemoveBlob): Promise<readonly BlobRef[]> {
    const writer = await this.#begin();
    const writes = new CatalogWrites(writer, this.#digest);
    try {
      const needless = writes.needless(refs, RECLAIM_BATCH);
      for (const facts of writes.factsBeside(needless)) await this.#options.factsFiles.correct(facts);
      for (const ref of needless) {
        await remove(ref, writes.isToBeErased(ref));
        writes.reclaimed(ref);
      }
      await this.#end(writer, true);
      return needless;
    } catch (error) {
      // Files that were unlinked stay unlinked. The next run finds their pending removals again and has nothing to unlink.
      throw this.#rolledBack(writer, error);
    }
  }

  /** Commits or rolls back. COMMIT is retried while busy, because without WAL it waits for readers. */
  async #end(writer: SqliteConnection, isToCommit: boolean): Promise<void> {
    if (!isToCommit) return writer.exec("ROLLBACK");
    await retryWhileBusy(() => writer.exec("COMMIT"), this.#options.lockWaitMs);
    this.#database.committed({ writer });
  }

  /**
   * Commits. When COMMIT itself fails, the transaction may or may not be durable: a new connection shows the state after
   * SQLite's recovery. The blob stays in either case.
   */
  async #finish(writer: SqliteConnection, outcome: CommitOutcome & { status: "committed" }): Promise<CommitOutcome> {
    try {
      await this.#end(writer, true);
      return outcome;
    } catch (error) {
      // Busy is not a failed commit: nothing was written.
      if (isBusy(error)) throw this.#rolledBack(writer, error);
      const isThere = await this.#hasRecord(outcome.record?.id, error);
      if (isThere) return outcome;
      throw this.#failure(error);
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

const sha256: AuditDigest = (text) => hash("sha256", text, "hex");

const SESSION = `SELECT *, ${DAMAGED_COUNT} FROM session WHERE id = ?`;

/**
 * Reads through the writer, whose page cache is warm: each write makes the reader's cache stale. Falls back to the reader when
 * busy, because only the reader waits for locks inside SQLite.
 */
function readWarm<T>(read: (connection: SqliteConnection) => T, writer: SqliteConnection, reader: SqliteConnection): T {
  try {
    return read(writer);
  } catch (error) {
    if (!isBusy(error)) throw error;
    return read(reader);
  }
}
