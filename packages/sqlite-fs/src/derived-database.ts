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
  /** How long to wait for others that write. */
  readonly lockWaitMs: number;
  readonly log: Log;
  /** Asked for a file before one is made, once; it may leave there to be none. Default: there is nobody to ask. */
  readonly seed?: (() => void) | undefined;
}

/** What is in a derived database. */
export interface DerivedContent {
  /** For the log: "the search index". */
  readonly name: string;
  /** Of a file with another one all is made anew. */
  readonly version: number;
  readonly schema: string;
  readonly pageBytes: number;
  /** SQL for each connection. Default: none. */
  readonly onOpen?: string;
}

/** As the catalog's: what is removed is overwritten, and small stores have little empty room. */
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

/** A file that can be made again: opened when needed, and made anew when it is gone, damaged or of another version. */
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

  /** Whether there is a file. Reading one that is not makes it. */
  isThere(): boolean {
    const { fs, file } = this.#options;
    try {
      this.#seedOnce();
      return fs.inspect(file) !== undefined;
    } catch (error) {
      throw storageError(error, file);
    }
  }

  /** Reads, all of it as of one moment if `read` does so in one statement. It is done again while somebody else is in the way. */
  read<T>(read: (run: Run) => T): Promise<T> {
    return this.#using(read);
  }

  /**
   * All or nothing. Not synchronous with the disk: what a power cut takes is made again. `write` does nothing but run SQL, for it
   * is done again while somebody else is in the way.
   */
  write<T>(write: (run: Run) => T): Promise<T> {
    return this.#using((run) => inTransaction(run, () => write(run)));
  }

  /** Has what stands in the write-ahead log written where it belongs, as far as nobody is reading it, and the log take no room. */
  emptyLog(): Promise<void> {
    return this.#using((run) => run.exec("PRAGMA wal_checkpoint(TRUNCATE)"));
  }

  /** Has neither the file nor its log hold anything of what was removed. `false` when others read the log for too long. */
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
    // Somebody may have removed it, which is always allowed, or have made it anew.
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
      // Kept in the file: said once more, it is written once more, and the disk waited for.
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

  /** It is made anew when it is needed. */
  remove(): void {
    this.#disconnect();
    for (const suffix of ["", "-wal", "-shm", "-journal"]) removeIfPresent(this.#options.fs, this.#options.file + suffix);
  }
}

/** Runs SQL, each statement prepared once. */
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
    // Somebody else may have been faster.
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
    // SQLite has rolled back by itself.
  }
}

/**
 * Whether a file that is made anew may help. What SQLite cannot see of damage shows as a column that is not there, or as a row
 * that whoever reads it stumbles over; if it is a bug of ours, the new file has it again.
 */
function isDamage(error: unknown): boolean {
  if (!(error instanceof Error) || isWorkrailError(error)) return false;
  return !("code" in error) || /^SQLITE_(CORRUPT|NOTADB|ERROR)/.test(String(error.code));
}
