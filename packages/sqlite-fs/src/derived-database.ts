import { ensureOwnFile, type FileSystem, removeIfPresent, storeClosed } from "@workrail/blob-files";
import { isWorkrailError, type Log } from "@workrail/core";
import { cutLog } from "./cut-log.ts";
import { retryWhileBusy } from "./retry-while-busy.ts";
import { userVersion } from "./schema-version.ts";
import type { JournalMode } from "./sqlite-connection.ts";
import type { OpenDatabase, SqliteDatabase, SqliteStatement, SqliteValue } from "./sqlite-driver.ts";
import { storageError } from "./storage-errors.ts";

export interface DerivedDatabaseOptions {
  readonly file: string;
  readonly fs: FileSystem;
  readonly openDatabase: OpenDatabase;
  readonly journal: JournalMode;
  /** Longest wait for other writers. */
  readonly lockWaitMs: number;
  readonly log: Log;
  /** Called once before the file is first looked at; may provide the file. Default: none. */
  readonly seed?: (() => void) | undefined;
}

/** Content of a derived database. */
export interface DerivedContent {
  /** Name for the log, such as "the search index". */
  readonly name: string;
  /** A file of another version is deleted and created again. */
  readonly version: number;
  readonly schema: string;
  readonly pageBytes: number;
  /** SQL for each connection. Default: none. */
  readonly onOpen?: string;
}

/** Mostly as in the catalog: deleted rows are overwritten, and small stores have little free space. */
const SETTINGS = [
  "secure_delete = ON",
  "trusted_schema = OFF",
  "foreign_keys = ON",
  `journal_size_limit = ${1024 * 1024}`,
  "synchronous = NORMAL",
];

interface Open {
  readonly database: SqliteDatabase;
  readonly run: Run;
  readonly identity: string | undefined;
}

/** A database that can be derived again: opened when needed, and created anew when it is missing, damaged or of another version. */
export class DerivedDatabase {
  readonly #options: DerivedDatabaseOptions;
  readonly #content: DerivedContent;
  #open: Open | undefined;
  #isSeeded = false;
  #isClosed = false;

  constructor(options: DerivedDatabaseOptions, content: DerivedContent) {
    this.#options = options;
    this.#content = content;
  }

  /** True when the file exists. Reading creates a missing file. */
  isThere(): boolean {
    const { fs, file } = this.#options;
    try {
      this.#seedOnce();
      return fs.inspect(file) !== undefined;
    } catch (error) {
      throw storageError(error, file);
    }
  }

  /** Runs `read`, and repeats it while the database is busy. Only a single statement sees one consistent state. */
  read<T>(read: (run: Run) => T): Promise<T> {
    return this.#using(read);
  }

  /**
   * Runs `write` in one transaction. Does not wait for the disk: data lost in a power cut is derived again. `write` must only run
   * SQL, because it is repeated while the database is busy.
   */
  write<T>(write: (run: Run) => T): Promise<T> {
    return this.#using((run) => inTransaction(run, () => write(run)));
  }

  /** Moves the write-ahead log into the database and truncates the log, unless another connection is reading it. */
  emptyLog(): Promise<void> {
    return this.#using((run) => run.exec("PRAGMA wal_checkpoint(TRUNCATE)"));
  }

  /** Erases the remains of deleted rows from the file and its log. Returns `false` when other connections read the log for too long. */
  async purge(): Promise<boolean> {
    if (!this.isThere()) return true;
    await this.#using((run) => run.exec("VACUUM"));
    return this.#using((run) => run).then((run) => cutLog((sql) => run.get(sql), this.#options.lockWaitMs));
  }

  close(): void {
    this.#isClosed = true;
    this.#disconnect();
  }

  async #using<T>(work: (run: Run) => T): Promise<T> {
    const { file, log, lockWaitMs } = this.#options;
    const attempt = (): Promise<T> => retryWhileBusy(() => work(this.#connect()), lockWaitMs);
    try {
      return await attempt().catch((error: unknown) => {
        if (!isDamage(error)) throw error;
        log.warn(`${this.#content.name} was damaged, or of another version, and is made anew`, { path: file, error });
        this.remove();
        return attempt();
      });
    } catch (error) {
      throw storageError(error, file);
    }
  }

  #connect(): Run {
    const { fs, file } = this.#options;
    if (this.#isClosed) throw storeClosed();
    // Another process may have removed the file, which is always allowed, or created it anew.
    if (this.#open !== undefined && fs.inspect(file)?.identity !== this.#open.identity) this.#disconnect();
    if (this.#open === undefined) {
      this.#seedOnce();
      ensureOwnFile(fs, file);
      const identity = fs.inspect(file)?.identity;
      const database = this.#openFile();
      this.#open = { database, run: runnerOf(database), identity };
    }
    return this.#open.run;
  }

  #seedOnce(): void {
    if (this.#isSeeded) return;
    this.#isSeeded = true;
    this.#options.seed?.();
  }

  #openFile(): SqliteDatabase {
    const { openDatabase, file, journal } = this.#options;
    const { pageBytes, onOpen = "" } = this.#content;
    const database = openDatabase(file, 0);
    try {
      // These settings are stored in the file. Setting them again would write the file again and wait for the disk.
      if (userVersion(database) === 0) database.exec(`PRAGMA page_size = ${pageBytes}; PRAGMA auto_vacuum = INCREMENTAL`);
      database.exec([`journal_mode = ${journal}`, ...SETTINGS].map((setting) => `PRAGMA ${setting}`).join(";"));
      prepareSchema(database, this.#content);
      database.exec(onOpen);
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  }

  #disconnect(): void {
    const open = this.#open;
    this.#open = undefined;
    open?.database.close();
  }

  /** Removes the files. The next access creates them anew. */
  remove(): void {
    const { fs, file } = this.#options;
    this.#disconnect();
    try {
      for (const suffix of ["", "-wal", "-shm", "-journal"]) removeIfPresent(fs, file + suffix);
    } catch (error) {
      throw storageError(error, file);
    }
  }
}

/** Runs SQL. Prepares each statement once. */
export interface Run {
  exec(sql: string): void;
  all(sql: string, ...parameters: readonly SqliteValue[]): readonly unknown[];
  /** `undefined` when there is no row. */
  get(sql: string, ...parameters: readonly SqliteValue[]): unknown;
  run(sql: string, ...parameters: readonly SqliteValue[]): number;
}

function runnerOf(database: SqliteDatabase): Run {
  const statements = new Map<string, SqliteStatement>();
  const statement = (sql: string): SqliteStatement => {
    const prepared = statements.get(sql) ?? database.prepare(sql);
    statements.set(sql, prepared);
    return prepared;
  };
  return {
    exec: (sql) => void database.exec(sql),
    all: (sql, ...parameters) => statement(sql).all(...parameters),
    get: (sql, ...parameters) => statement(sql).get(...parameters),
    run: (sql, ...parameters) => Number(statement(sql).run(...parameters).changes),
  };
}

function prepareSchema(database: SqliteDatabase, { version, schema }: DerivedContent): void {
  if (userVersion(database) === version) return;
  inTransaction(database, () => {
    // Another process may have created the schema meanwhile.
    const found = userVersion(database);
    if (found === version) return;
    if (found !== 0) throw Object.assign(new Error("It is of another version."), { code: "SQLITE_NOTADB" });
    database.exec(`${schema}; PRAGMA user_version = ${version}`);
  });
}

function inTransaction<T>(database: Pick<SqliteDatabase, "exec">, work: () => T): T {
  database.exec("BEGIN IMMEDIATE");
  try {
    const result = work();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    rollBack(database);
    throw error;
  }
}

function rollBack(database: Pick<SqliteDatabase, "exec">): void {
  try {
    database.exec("ROLLBACK");
  } catch {
    // SQLite already rolled back.
  }
}

/**
 * True when creating the file anew may help. Damage that SQLite does not detect shows as a missing column, or as an exception in
 * the code that reads a row. A bug in this code causes the same exception again with the new file.
 */
function isDamage(error: unknown): boolean {
  if (!(error instanceof Error) || isWorkrailError(error)) return false;
  return !("code" in error) || /^SQLITE_(CORRUPT|NOTADB|ERROR)/.test(String(error.code));
}
