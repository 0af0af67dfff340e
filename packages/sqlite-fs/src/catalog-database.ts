import path from "node:path";
import {
  catalogLost,
  DATABASE,
  ensureOwnFile,
  type FileSystem,
  isBeingRestored,
  isCatalogLoss,
  JOURNAL,
  refuseUnfinishedRestore,
  removeIfPresent,
  setAside,
  storeClosed,
} from "@workrail/blob-files";
import { type AuditPlace, type Log, runThen } from "@workrail/core";
import { checkContent, checkShape, mendingsOf, noteMending } from "./catalog-checks.ts";
import { CommitMark, isBehind, placeNoted } from "./commit-mark.ts";
import { mendCatalog } from "./mend-catalog.ts";
import { type Migration, MIGRATIONS } from "./migrations.ts";
import { retryWhileBusy } from "./retry-while-busy.ts";
import { isAsMigrated } from "./schema-check.ts";
import { keepCopy } from "./schema-copies.ts";
import { type JournalMode, SqliteConnection } from "./sqlite-connection.ts";
import type { OpenDatabase } from "./sqlite-driver.ts";
import { databaseDamaged, storageError } from "./storage-errors.ts";

export interface CatalogDatabaseOptions {
  readonly dataDir: string;
  readonly fs: FileSystem;
  readonly openDatabase: OpenDatabase;
  readonly log: Log;
  /** How long to wait for others that are opening it too. */
  readonly lockWaitMs: number;
  /** Default: those of this version. */
  readonly migrations?: readonly Migration[] | undefined;
  /** Whether nothing is ever committed to it. Default `false`. */
  readonly isForReading?: boolean | undefined;
  /** Whether it is a copy of one whose tables were read through a moment ago. Default `false`. */
  readonly isProven?: boolean | undefined;
  /** How it is to be journalled. WAL becomes DELETE where it proves impossible. */
  readonly journal: JournalMode;
  /** Makes a directory of the store, durably, unless it is there. */
  ensureDirectory(directory: string): Promise<void>;
  /** Whether there is anything that the database should know of. */
  hasBlobs(): Promise<boolean>;
}

/** Reads and writes have a connection each, so that a read never sees half of a transaction that awaits a file. */
export interface Connections {
  readonly writer: SqliteConnection;
  readonly reader: SqliteConnection;
}

interface Damage {
  readonly identity: string | undefined;
  /** Whether it may be mended in its place. */
  readonly isMendable: boolean;
  /** How often it had been mended before; mending that came later was of this. `undefined`: that is not known. */
  readonly mendings?: number | undefined;
}

const ANY_ROW = "SELECT 1 FROM session UNION ALL SELECT 1 FROM audit LIMIT 1";

/** Files that SQLite keeps beside a database. */
const BESIDE = ["-wal", "-shm"] as const;

/** The file `workrail.db`: opened when needed, opened again when another file took its place, replaced as a whole. */
export class CatalogDatabase {
  readonly file: string;
  readonly #options: CatalogDatabaseOptions;
  readonly #mark: CommitMark;
  #connections: Connections | undefined;
  #connecting: Promise<Connections> | undefined;
  /** Which file is, or was last, open. */
  #identity: string | undefined;
  /** Which file was proved damaged while it was open, last. */
  #damaged: Damage | undefined;
  #isMended = false;
  #isClosed = false;
  #journal: JournalMode;

  constructor(options: CatalogDatabaseOptions) {
    this.#options = options;
    this.#journal = options.journal;
    this.file = path.join(options.dataDir, DATABASE);
    this.#mark = new CommitMark(this.file, options.fs);
  }

  /**
   * The connections, opened, and the database created or migrated, where needed.
   *
   * @throws STORAGE_UNAVAILABLE with the reason `catalog-lost` when there are blobs but no database that could know of
   *   them, or the store was used without SQLite since: only a rebuild, which has the store to itself, may make one then;
   *   with the reason `restore-unfinished` when a backup takes the place of the store. Errors of the driver.
   */
  async connect(): Promise<Connections> {
    if (this.#isClosed) throw storeClosed();
    if (this.#connections !== undefined) return this.#connections;
    this.#connecting ??= this.#open().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  /** Nothing is opened afterwards. */
  close(): void {
    this.#isClosed = true;
    this.disconnect();
  }

  disconnect(): void {
    const connections = this.#connections;
    this.#connections = undefined;
    if (connections !== undefined) closeBoth(connections);
  }

  /** Whether what is open is no longer the store's as it was opened: a backup takes its place, the file is no longer the one under the path, or it has another schema. */
  isOutdated(): boolean {
    return this.isReplaced() || this.#isMigrated() || isBeingRestored(this.#options.fs, this.#options.dataDir);
  }

  /** Whether the file that is open is no longer the one under the path. */
  isReplaced(): boolean {
    return this.#connections !== undefined && this.#options.fs.inspect(this.file)?.identity !== this.#identity;
  }

  /** From now on, until another takes its place, the file that is open counts as one that cannot be read. To whom it was migrated since, it may be sound. */
  condemn(): void {
    if (this.#isMigrated()) return;
    const isMendable = !this.#isCondemned || this.#damaged?.isMendable === true;
    this.#damaged = { identity: this.#identity, isMendable, mendings: this.#mendings() };
  }

  /** How often it was mended until now; `undefined` where that cannot be read. */
  #mendings(): number | undefined {
    try {
      return this.#connections === undefined ? undefined : mendingsOf(this.#connections.reader);
    } catch {
      // What cannot be read tells nothing.
      return undefined;
    }
  }

  get #isCondemned(): boolean {
    return this.#damaged !== undefined && this.#damaged.identity === this.#identity;
  }

  /** Whether a newer version gave it another schema while it was open. */
  #isMigrated(): boolean {
    try {
      return this.#connections?.reader.isMigrated() === true;
    } catch {
      // What cannot be read tells nothing.
      return false;
    }
  }

  /**
   * Why something failed: SQL that is right fails only where tables are not as they were made, for the text that makes them is in the database, too,
   * and where a text in them is no JSON any more.
   */
  explain(error: unknown): unknown {
    if (!isErrorOfSql(error) || this.#connections === undefined) return error;
    if (error.message.includes("malformed JSON")) return databaseDamaged("A row of the catalog is not as it was written.", error);
    const { migrations = MIGRATIONS, openDatabase } = this.#options;
    try {
      const { reader } = this.#connections;
      if (this.#isMigrated() || this.isNewer(reader) || isAsMigrated(reader, migrations, openDatabase)) return error;
    } catch {
      // What cannot be looked at now fails again.
      return error;
    }
    return databaseDamaged("The tables of the catalog are not as they were made.", error);
  }

  /** To be told after each COMMIT. One that is condemned stays behind what was noted of it. */
  committed({ writer }: Pick<Connections, "writer">): void {
    if (!this.#isCondemned) this.#mark.note(writer);
  }

  /** The last row of the audit log that was noted outside of the database, if it is one of this log. */
  async notedPlace(): Promise<AuditPlace | undefined> {
    const { reader } = await this.connect();
    const noted = await this.#mark.read();
    return noted === undefined ? undefined : retryWhileBusy(() => placeNoted(reader, noted), this.#options.lockWaitMs);
  }

  /**
   * Whether it must be made anew: nothing was ever written to it although there are blobs, it cannot be read, it lost commits, or it is damaged and
   * cannot be mended in its place, which is tried.
   */
  async isLost(): Promise<boolean> {
    try {
      const { reader, writer } = await this.connect();
      if (this.#isCondemned && !(await this.#mendCondemned(writer))) return true;
      return (await this.#isUnused(reader)) && (await this.#options.hasBlobs());
    } catch (cause) {
      const error = storageError(cause, this.file);
      if (isCatalogLoss(error)) return true;
      throw error;
    }
  }

  /**
   * Puts a new database, filled by `fill`, in the place of this one, which is kept aside, as is the journal of a store that
   * was used without SQLite. The store must be ours alone.
   */
  async replace(fill: (database: SqliteConnection) => void): Promise<void> {
    const { fs, dataDir } = this.#options;
    refuseUnfinishedRestore(fs, dataDir);
    const fresh = `${this.file}.new`;
    const clear = (): void => ["", ...BESIDE].forEach((suffix) => removeIfPresent(fs, fresh + suffix));
    // What an interrupted rebuild left.
    clear();
    try {
      await this.#create(fresh, fill);
    } catch (error) {
      // On a full disk it would take the room that is left.
      await runThen(() => Promise.reject(error), clear);
    }
    this.disconnect();
    // The database goes before its `-wal`, which would be replayed over the new one: whoever finds them in between finds
    // no database, never one without its last commits.
    const putBack = setAside(fs, this.file, BESIDE);
    try {
      fs.rename(fresh, this.file);
    } catch (error) {
      putBack();
      throw error;
    }
    this.#mark.remove();
    await fs.syncDirectory(dataDir);
    // Last, because with both of them the catalog is still known to be lost.
    setAside(fs, this.#otherCatalog);
    await fs.syncDirectory(dataDir);
  }

  async #open(): Promise<Connections> {
    const { fs, lockWaitMs, dataDir } = this.#options;
    refuseUnfinishedRestore(fs, dataDir);
    await this.#refuseWhenLost();
    ensureOwnFile(fs, this.file);
    const identity = fs.inspect(this.file)?.identity;
    const isAnother = this.#identity !== undefined && this.#identity !== identity;
    const connections = await this.#openBoth();
    try {
      const { reader } = connections;
      if (this.#options.isProven !== true) await this.#check(connections);
      // Somebody else may have made the database that we find in the place of ours.
      if (isAnother && (await this.#isUnused(reader)) && (await this.#options.hasBlobs())) throw catalogLost();
      const noted = await this.#mark.read();
      const isLosing = noted !== undefined && (await retryWhileBusy(() => isBehind(reader, noted), lockWaitMs));
      if (isLosing) this.#damaged = { identity, isMendable: false };
      if (this.#isClosed) throw storeClosed();
    } catch (error) {
      closeBoth(connections);
      throw error;
    }
    this.#identity = identity;
    this.#connections = connections;
    return connections;
  }

  /** A row that cannot be mended is damage where it is met: much is done without it. */
  async #check({ reader, writer }: Connections): Promise<void> {
    const { fs, lockWaitMs } = this.#options;
    const sizeBytes = fs.inspect(this.file)?.sizeBytes ?? 0;
    try {
      await retryWhileBusy(() => checkShape(reader, sizeBytes), lockWaitMs);
    } catch (error) {
      if (!isDamage(error) || !(await this.#mendAtOpening(writer))) throw error;
    }
    if (this.isNewer(reader)) return;
    try {
      await retryWhileBusy(() => checkContent(reader, sizeBytes), lockWaitMs);
    } catch (error) {
      if (!isDamage(error)) throw error;
      await this.#mendAtOpening(writer);
    }
  }

  /** Whether it could be mended. What is in the way of that, a full disk or others, is not in the way of opening. */
  async #mendAtOpening(writer: SqliteConnection): Promise<boolean> {
    let error: unknown;
    try {
      if (await this.#mend(writer)) return true;
    } catch (cause) {
      error = cause;
    }
    this.#options.log.warn("the catalog is damaged, and cannot be mended in its place now", { path: this.file, error });
    return false;
  }

  /** Not again, once it was beyond that. */
  async #mendCondemned(writer: SqliteConnection): Promise<boolean> {
    const { identity, isMendable, mendings } = this.#damaged ?? {};
    if (isMendable !== true) return false;
    const isMended = await this.#mend(writer, mendings);
    this.#damaged = isMended ? undefined : { identity, isMendable: false };
    return isMended;
  }

  /** Whether it could be mended in its place, or others did that: it had been mended so often when the damage was met. */
  async #mend(writer: SqliteConnection, mendings?: number): Promise<boolean> {
    const { lockWaitMs, log, migrations = MIGRATIONS, openDatabase, isForReading = false } = this.#options;
    try {
      await retryWhileBusy(() => writer.exec("BEGIN IMMEDIATE"), lockWaitMs);
      if (writer.isMigrated() || this.isNewer(writer) || !isAsMigrated(writer, migrations, openDatabase)) return false;
      const before = mendingsOf(writer);
      if (mendings !== undefined && mendings !== before) return true;
      const correctedRows = mendCatalog(writer);
      noteMending(writer, before + 1);
      await retryWhileBusy(() => writer.exec("COMMIT"), lockWaitMs);
      this.#isMended = true;
      const what = isForReading
        ? "the catalog is damaged; a copy has been mended, to be read"
        : "the catalog was damaged, and has been mended in its place";
      log.warn(what, { path: this.file, correctedRows });
      return true;
    } catch (error) {
      if (isDamage(error)) return false;
      throw error;
    } finally {
      abandon(writer);
    }
  }

  /** Whether it was mended through this. */
  get isMended(): boolean {
    return this.#isMended;
  }

  /** Whether a newer version made its tables, which we may use but do not know. */
  isNewer(connection: SqliteConnection): boolean {
    return connection.isNewerThan((this.#options.migrations ?? MIGRATIONS).length);
  }

  /** How it is journalled now. */
  get journal(): JournalMode {
    return this.#journal;
  }

  async #openBoth(): Promise<Connections> {
    try {
      return await this.#openTwo();
    } catch (error) {
      if (this.#journal === "DELETE" || !isWithoutSharedMemory(error)) throw error;
      return this.#openWithoutWal(error);
    }
  }

  async #openWithoutWal(why: unknown): Promise<Connections> {
    this.#journal = "DELETE";
    try {
      return await this.#openTwo();
    } catch {
      // It was not for that, and the first failure tells more.
      this.#journal = "WAL";
      throw why;
    }
  }

  async #openTwo(): Promise<Connections> {
    const writer = await this.#openOne(this.file);
    try {
      const reader = await this.#openOne(this.file);
      // Without WAL it may be our own writer, about to commit, that a reader would hold up while it waits.
      if (this.#journal === "WAL") reader.waitInside();
      return { writer, reader };
    } catch (error) {
      writer.close();
      throw error;
    }
  }

  /**
   * Whoever creates the store writes to the database before there is a `-wal` or a blob, so that looking at it again
   * after these tells a store that is just being created from one whose database is gone.
   */
  async #refuseWhenLost(): Promise<void> {
    if (this.#options.fs.inspect(this.#otherCatalog) !== undefined) throw catalogLost();
    if (!this.#isBlank()) return;
    const hadDatabase = BESIDE.some((suffix) => this.#options.fs.inspect(this.file + suffix) !== undefined);
    if ((hadDatabase || (await this.#options.hasBlobs())) && this.#isBlank()) throw catalogLost();
  }

  /** That of a store which is used without SQLite. */
  get #otherCatalog(): string {
    return path.join(this.#options.dataDir, JOURNAL);
  }

  #isUnused(reader: SqliteConnection): Promise<boolean> {
    return retryWhileBusy(() => reader.statement(ANY_ROW).get() === undefined, this.#options.lockWaitMs);
  }

  #isBlank(): boolean {
    const found = this.#options.fs.inspect(this.file);
    return found === undefined || (found.kind === "file" && found.sizeBytes === 0);
  }

  #openOne(file: string): Promise<SqliteConnection> {
    const { openDatabase, lockWaitMs, migrations, isForReading } = this.#options;
    return SqliteConnection.open(file, openDatabase, {
      lockWaitMs,
      migrations,
      isForReading,
      journal: this.#journal,
      keepCopy: (schema) => keepCopy(file, schema, this.#options),
    });
  }

  async #create(file: string, fill: (database: SqliteConnection) => void): Promise<void> {
    ensureOwnFile(this.#options.fs, file);
    const database = await this.#openOne(file);
    try {
      database.exec("BEGIN IMMEDIATE");
      fill(database);
      database.exec("COMMIT");
      database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    } finally {
      database.close();
    }
  }
}

function closeBoth({ reader, writer }: Connections): void {
  reader.close();
  writer.close();
}

/** Ends a transaction that was not committed. */
function abandon(writer: SqliteConnection): void {
  try {
    writer.exec("ROLLBACK");
  } catch {
    // There is none: it was committed, or SQLite has ended it by itself.
  }
}

/** Also an index that cannot be made anew of what is there, and a number that JavaScript has not. */
function isDamage(error: unknown): boolean {
  return error instanceof Error && "code" in error && /^(SQLITE_(CORRUPT|CONSTRAINT|NOTADB)|ERR_OUT_OF_RANGE)/.test(String(error.code));
}

/** What SQLite says of a statement that means nothing to it. */
function isErrorOfSql(error: unknown): error is Error {
  return error instanceof Error && "code" in error && error.code === "SQLITE_ERROR";
}

/** What SQLite says where processes cannot share memory, which WAL needs. */
function isWithoutSharedMemory(error: unknown): boolean {
  return error instanceof Error && "code" in error && /^SQLITE_(IOERR_SHM|CANTOPEN|PROTOCOL)/.test(String(error.code));
}
