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
  /** Whether those who had it open last did not close it: the machine may have stopped while they wrote. */
  readonly isLeftOver: boolean;
  /** How long to wait for the write lock. */
  readonly lockWaitMs: number;
  /** Default: those of this version. */
  readonly migrations?: readonly Migration[] | undefined;
  /** Whether nothing is ever committed to it. Default `false`. */
  readonly isForReading?: boolean | undefined;
  /** Whether it is a copy of one whose tables were read through a moment ago. Default `false`. */
  readonly isProven?: boolean | undefined;
}

/** Pending removals taken in one transaction: few enough that a waiting save hardly notices. */
const RECLAIM_BATCH = 100;

/**
 * The catalog in `workrail.db`. Writes of this process queue here; between processes `BEGIN IMMEDIATE` decides,
 * retried with jitter.
 */
export class SqliteCatalog implements Catalog, CatalogRecovery {
  readonly #options: SqliteCatalogOptions;
  readonly #database: CatalogDatabase;
  readonly #writes = new SerialQueue();
  #isLeftOver: boolean;
  /** Of a sealed store: what the audit log is chained by. */
  #keyed: AuditDigest | undefined;

  /** Opens it. One that is lost or damaged is opened all the same, for a rebuild: everything else then fails. */
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

  /** Whether this process mended it since it was opened. */
  get isMended(): boolean {
    return this.#database.isMended;
  }

  /** How the database is journalled now. */
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
    // Before the rows: what is noted afterwards may be of a row that was not there yet.
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
    // What is removed may have been the last to need another, which is then free too.
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
    // By the time they are read, the caller may have changed them.
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
        // What was there is in free pages and in the log.
        writer.exec("VACUUM");
      } catch (error) {
        throw this.#rolledBack(writer, error);
      }
    });
    await this.emptyLog();
  }

  /** Another process may have put another database in our file's place, or removed it. */
  reopenIfReplaced(): void {
    try {
      if (this.#database.isOutdated()) this.#database.disconnect();
    } catch (error) {
      throw this.#failure(error);
    }
  }

  /** Moves the write-ahead log's pages into the database, and cuts it off, as far as nobody is reading it. */
  async emptyLog(): Promise<void> {
    await this.#cutLog(0);
  }

  /**
   * Has neither the database nor its log hold anything of what was removed: pages are written anew, for what was moved within
   * them leaves traces that no deletion finds. `false` when others read the log for too long for it to be cut off.
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

  /** While other calls go on. What a newer version keeps beside rows is not ours to judge. */
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
    // Once rows are proven, for these look into the texts that are in them.
    if ((await ask(WRONG)).some((row) => Object.keys(row).length > 0)) throw derivedDamaged();
  }

  /** In one transaction, of which nothing outside of the database has to know. */
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

  /** Whether there is another file now, or another schema. Within a transaction, which must not stay open, with the write lock, when the look fails. */
  #isAnother(writer: SqliteConnection): boolean {
    try {
      return this.#database.isReplaced() || writer.isMigrated();
    } catch (error) {
      throw this.#rolledBack(writer, error);
    }
  }

  /** Begins a write transaction on the database that is under our path now. */
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
      // What was unlinked stays unlinked; its pending removal is found again and is then nothing to do.
      throw this.#rolledBack(writer, error);
    }
  }

  /** Without WAL a COMMIT waits for those who read. */
  async #end(writer: SqliteConnection, isToCommit: boolean): Promise<void> {
    if (!isToCommit) return writer.exec("ROLLBACK");
    await retryWhileBusy(() => writer.exec("COMMIT"), this.#options.lockWaitMs);
    this.#database.committed({ writer });
  }

  /**
   * Commits. When COMMIT itself fails, the transaction may or may not have become durable: a new connection sees what
   * recovery makes of it. The blob stays in any case.
   */
  async #finish(writer: SqliteConnection, outcome: CommitOutcome & { status: "committed" }): Promise<CommitOutcome> {
    try {
      await this.#end(writer, true);
      return outcome;
    } catch (error) {
      // Turned away is not the same as failed: nothing was written.
      if (isBusy(error)) throw this.#rolledBack(writer, error);
      const isThere = await this.#hasRecord(outcome.record?.id, error);
      if (isThere) return outcome;
      throw this.#failure(error);
    }
  }

  /** Whether a record is in the database after all; without a record there is nothing to look for. */
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

  /** Translates an error. A database that proves damaged is one to be made anew from then on. */
  #failure(error: unknown): unknown {
    const failure = storageError(this.#database.explain(error), this.#database.file);
    if (isCatalogLoss(failure)) this.#database.condemn();
    return failure;
  }

  /** Ends a transaction that failed, and translates why. */
  #rolledBack(writer: SqliteConnection, error: unknown): unknown {
    try {
      writer.exec("ROLLBACK");
    } catch {
      // SQLite has rolled back by itself (a full disk, an I/O error): a new connection starts clean.
      this.#database.disconnect();
    }
    return this.#failure(error);
  }
}

const sha256: AuditDigest = (text) => hash("sha256", text, "hex");

const SESSION = `SELECT *, ${DAMAGED_COUNT} FROM session WHERE id = ?`;

/** The writer's pages are in memory; each write makes the reader's stale. But only the reader waits for others within SQLite. */
function readWarm<T>(read: (connection: SqliteConnection) => T, writer: SqliteConnection, reader: SqliteConnection): T {
  try {
    return read(writer);
  } catch (error) {
    if (!isBusy(error)) throw error;
    return read(reader);
  }
}
