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
import { type AuditPlace, type Log, runFinally } from "@workrail/core";
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
  /** Longest wait for other processes that are opening the database. */
  readonly lockWaitMs: number;
  /** Default: the migrations of this version. */
  readonly migrations?: readonly Migration[] | undefined;
  /** True when the database is only read: nothing is committed to it. Default `false`. */
  readonly isForReading?: boolean | undefined;
  /** True for a copy of a database whose tables were checked a moment ago. Default `false`. */
  readonly isProven?: boolean | undefined;
  /** Journal mode. WAL becomes DELETE where WAL turns out to be impossible. */
  readonly journal: JournalMode;
  /** Creates a directory of the store, durably, when it is missing. */
  ensureDirectory(directory: string): Promise<void>;
  /** True when the store has blobs, which the database should have records of. */
  hasBlobs(): Promise<boolean>;
}

/** One connection for writes and one for reads, so that a read never sees half of a transaction that waits for a file. */
export interface Connections {
  readonly writer: SqliteConnection;
  readonly reader: SqliteConnection;
}

interface Damage {
  readonly identity: string | undefined;
  /** True when mending in place may be tried. */
  readonly isMendable: boolean;
  /** Number of mendings when the damage was met; a higher number later means that this damage was mended. `undefined`: not known. */
  readonly mendings?: number | undefined;
}

const ANY_ROW = "SELECT 1 FROM session UNION ALL SELECT 1 FROM audit LIMIT 1";

/** Files that SQLite keeps beside a database. */
const BESIDE = ["-wal", "-shm"] as const;

/** The file `workrail.db`: opened when needed, opened again when the file was replaced, and rebuilt as a whole. */
export class CatalogDatabase {
  readonly file: string;
  readonly #options: CatalogDatabaseOptions;
  readonly #mark: CommitMark;
  #connections: Connections | undefined;
  #connecting: Promise<Connections> | undefined;
  /** Identity of the file that is open, or was open last. */
  #identity: string | undefined;
  /** The last file that was found damaged while it was open. */
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
   * Returns the connections. Opens them, and creates or migrates the database, when needed.
   *
   * @throws STORAGE_UNAVAILABLE with the reason `catalog-lost` when there are blobs but no database that could have their
   *   records, or the store was used without SQLite since: then only a rebuild, which holds the store exclusively, may
   *   create a database; with the reason `restore-unfinished` while a backup replaces the store. Errors of the driver.
   */
  async connect(): Promise<Connections> {
    if (this.#isClosed) throw storeClosed();
    if (this.#connections !== undefined) return this.#connections;
    this.#connecting ??= this.#open().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  /** Closes the database for good. */
  close(): void {
    this.#isClosed = true;
    this.disconnect();
  }

  disconnect(): void {
    const connections = this.#connections;
    this.#connections = undefined;
    if (connections !== undefined) closeBoth(connections);
  }

  /** True when the open database is outdated: the file was replaced, its schema was migrated, or a backup is replacing the store. */
  isOutdated(): boolean {
    return this.isReplaced() || this.#isMigrated() || isBeingRestored(this.#options.fs, this.#options.dataDir);
  }

  /** True when the open file is no longer the one at the path. */
  isReplaced(): boolean {
    return this.#connections !== undefined && this.#options.fs.inspect(this.file)?.identity !== this.#identity;
  }

  /**
   * Marks the open file as damaged until another file replaces it. Does nothing when a newer version migrated the file since: the
   * file may be sound for that version.
   */
  condemn(): void {
    if (this.#isMigrated()) return;
    const isMendable = !this.#isCondemned || this.#damaged?.isMendable === true;
    this.#damaged = { identity: this.#identity, isMendable, mendings: this.#mendings() };
  }

  /** Number of times that the database was mended; `undefined` when that cannot be read. */
  #mendings(): number | undefined {
    try {
      return this.#connections === undefined ? undefined : mendingsOf(this.#connections.reader);
    } catch {
      // A database that cannot be read does not tell.
      return undefined;
    }
  }

  get #isCondemned(): boolean {
    return this.#damaged !== undefined && this.#damaged.identity === this.#identity;
  }

  /** True when a newer version changed the schema while the database was open. */
  #isMigrated(): boolean {
    try {
      return this.#connections?.reader.isMigrated() === true;
    } catch {
      // A database that cannot be read does not tell.
      return false;
    }
  }

  /**
   * Returns the error that tells why SQL failed. Correct SQL fails only on damage: the stored `CREATE` text of a table has changed,
   * or a text in a row is no longer JSON.
   */
  explain(error: unknown): unknown {
    if (!isErrorOfSql(error) || this.#connections === undefined) return error;
    if (error.message.includes("malformed JSON")) return databaseDamaged("A row of the catalog differs from the written one.", error);
    const { migrations = MIGRATIONS, openDatabase } = this.#options;
    try {
      const { reader } = this.#connections;
      if (this.#isMigrated() || this.isNewer(reader) || isAsMigrated(reader, migrations, openDatabase)) return error;
    } catch {
      // The schema cannot be read: the next access fails too and reports that.
      return error;
    }
    return databaseDamaged("The tables of the catalog are not as they were made.", error);
  }

  /** Updates the commit mark. Call it after each COMMIT. `logged`: the last audit row of the commit, if known. A condemned database does not update its mark. */
  committed({ writer }: Pick<Connections, "writer">, logged?: AuditPlace): void {
    if (!this.#isCondemned) this.#mark.note(writer, logged);
  }

  /** Place of the last audit row as the commit mark has it; `undefined` when the mark belongs to another log. */
  async notedPlace(): Promise<AuditPlace | undefined> {
    const { reader } = await this.connect();
    const noted = await this.#mark.read();
    return noted === undefined ? undefined : retryWhileBusy(() => placeNoted(reader, noted), this.#options.lockWaitMs);
  }

  /**
   * True when the database must be rebuilt: it is unused although there are blobs, it cannot be read, it lost commits, or it is
   * damaged and cannot be mended in place. Tries to mend a damaged database.
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
   * Replaces this database by a new one that `fill` fills. Sets the old database aside, and the journal of a store that was
   * used without SQLite. The caller must hold the store exclusively.
   */
  async replace(fill: (database: SqliteConnection) => void): Promise<void> {
    const { fs, dataDir } = this.#options;
    refuseUnfinishedRestore(fs, dataDir);
    const fresh = `${this.file}.new`;
    const clear = (): void => ["", ...BESIDE].forEach((suffix) => removeIfPresent(fs, fresh + suffix));
    // Remains of an interrupted rebuild.
    clear();
    try {
      await this.#create(fresh, fill);
    } catch (error) {
      // On a full disk the unfinished file would take the room that is left.
      await runFinally(() => Promise.reject(error), clear);
    }
    this.disconnect();
    // The database is moved before its `-wal`, so that another process finds no database in between, never one without its
    // last commits. A `-wal` that stayed would be replayed over the new database.
    const putBack = setAside(fs, this.file, BESIDE);
    try {
      fs.rename(fresh, this.file);
    } catch (error) {
      putBack();
      throw error;
    }
    this.#mark.remove();
    await fs.syncDirectory(dataDir);
    // Last: while both catalogs are there, the catalog still counts as lost.
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
      // Another process may have created the database that replaces ours.
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

  /**
   * Checks the database and mends it when needed. A damaged row that cannot be mended does not prevent opening: reading it fails
   * later, and most calls do not need it.
   */
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

  /** Tries to mend the database; true on success. A full disk, or another process's lock, prevents mending but not opening. */
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

  /** Tries to mend a condemned database; true on success. Does not try again after a failure. */
  async #mendCondemned(writer: SqliteConnection): Promise<boolean> {
    const { identity, isMendable, mendings } = this.#damaged ?? {};
    if (isMendable !== true) return false;
    const isMended = await this.#mend(writer, mendings);
    this.#damaged = isMended ? undefined : { identity, isMendable: false };
    return isMended;
  }

  /**
   * Mends the database in place. True on success, or when another process mended it.
   *
   * @param mendings number of mendings when the damage was met.
   */
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
      writer.abandon();
    }
  }

  /** True when this instance mended the database. */
  get isMended(): boolean {
    return this.#isMended;
  }

  /** True when a newer version created the tables: this version may use them but does not know all of them. */
  isNewer(connection: SqliteConnection): boolean {
    return connection.isNewerThan((this.#options.migrations ?? MIGRATIONS).length);
  }

  /** The current journal mode. */
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
      // WAL was not the cause, and the first failure tells more.
      this.#journal = "WAL";
      throw why;
    }
  }

  async #openTwo(): Promise<Connections> {
    const writer = await this.#openOne(this.file);
    try {
      const reader = await this.#openOne(this.file);
      // Without WAL, a reader that waits inside SQLite could block our own writer, which is about to commit.
      if (this.#journal === "WAL") reader.waitInside();
      return { writer, reader };
    } catch (error) {
      writer.close();
      throw error;
    }
  }

  /**
   * Throws when the database is lost. A process that creates a store writes the database before any `-wal` or blob exists.
   * So a database that is still blank after these were seen is lost, and not just being created.
   */
  async #refuseWhenLost(): Promise<void> {
    if (this.#options.fs.inspect(this.#otherCatalog) !== undefined) throw catalogLost();
    if (!this.#isBlank()) return;
    const hadDatabase = BESIDE.some((suffix) => this.#options.fs.inspect(this.file + suffix) !== undefined);
    if ((hadDatabase || (await this.#options.hasBlobs())) && this.#isBlank()) throw catalogLost();
  }

  /** Path of the catalog of a store that is used without SQLite. */
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

/** Damage includes an index that cannot be rebuilt from its table, and an integer that is out of JavaScript's range. */
function isDamage(error: unknown): boolean {
  return error instanceof Error && "code" in error && /^(SQLITE_(CORRUPT|CONSTRAINT|NOTADB)|ERR_OUT_OF_RANGE)/.test(String(error.code));
}

/** SQLite's error for a statement that does not compile or names missing tables or columns. */
function isErrorOfSql(error: unknown): error is Error {
  return error instanceof Error && "code" in error && error.code === "SQLITE_ERROR";
}

/** SQLite's errors where processes cannot share memory, which WAL needs. */
function isWithoutSharedMemory(error: unknown): boolean {
  return error instanceof Error && "code" in error && /^SQLITE_(IOERR_SHM|CANTOPEN|PROTOCOL)/.test(String(error.code));
}
