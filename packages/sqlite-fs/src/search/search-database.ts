import { ensureOwnFile, type FileSystem, removeIfPresent } from "@workrail/blob-files";
import type { Log } from "@workrail/core";
import { retryWhileBusy } from "../retry-while-busy.ts";
import type { JournalMode } from "../sqlite-connection.ts";
import type { OpenDatabase, SqliteDatabase, SqliteStatement, SqliteValue } from "../sqlite-driver.ts";
import { storageError } from "../storage-errors.ts";
import { INDEX_VERSION, SEARCH_SCHEMA } from "./search-schema.ts";

export interface SearchDatabaseOptions {
  readonly file: string;
  readonly fs: FileSystem;
  readonly openDatabase: OpenDatabase;
  readonly journal: JournalMode;
  readonly lockWaitMs: number;
  readonly log: Log;
}

/** As the catalog's: what is removed is overwritten, and small stores have little empty room. */
const SETTINGS = ["secure_delete = ON", "trusted_schema = OFF", `journal_size_limit = ${1024 * 1024}`];
const PAGE_BYTES = 1024;

interface Open {
  readonly database: SqliteDatabase;
  readonly statements: Map<string, SqliteStatement>;
  readonly identity: string | undefined;
}

/** The file `search.db`: opened when needed, and made anew when it is gone, damaged or of another version. */
export class SearchDatabase {
  readonly #options: SearchDatabaseOptions;
  #open: Open | undefined;
  #isClosed = false;

  constructor(options: SearchDatabaseOptions) {
    this.#options = options;
  }

  /** Reads, all of it as of one moment if `read` does so in one statement. */
  read<T>(read: (run: Run) => T): Promise<T> {
    return this.#using(async (run) => retryWhileBusy(() => read(run), this.#options.lockWaitMs));
  }

  /** All or nothing. Not synchronous with the disk: what a power cut takes is made again. */
  write<T>(write: (run: Run) => T): Promise<T> {
    return this.#using(async (run) => {
      const { lockWaitMs } = this.#options;
      await retryWhileBusy(() => run.exec("BEGIN IMMEDIATE"), lockWaitMs);
      try {
        const result = write(run);
        await retryWhileBusy(() => run.exec("COMMIT"), lockWaitMs);
        return result;
      } catch (error) {
        if (this.#open !== undefined) rollBack(run);
        throw error;
      }
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#disconnect();
  }

  async #using<T>(work: (run: Run) => Promise<T>): Promise<T> {
    try {
      return await work(await this.#connect());
    } catch (error) {
      if (!isDamage(error)) throw storageError(error, this.#options.file);
      this.#options.log.warn("the search index was damaged, and is made anew", { path: this.#options.file, error });
      this.remove();
      return await work(await this.#connect()).catch((again: unknown) => {
        throw storageError(again, this.#options.file);
      });
    }
  }

  async #connect(): Promise<Run> {
    const { fs, file } = this.#options;
    // Somebody may have removed it, which is always allowed, or have made it anew.
    if (this.#open !== undefined && fs.inspect(file)?.identity !== this.#open.identity) this.#disconnect();
    if (this.#open === undefined) {
      ensureOwnFile(fs, file);
      const identity = fs.inspect(file)?.identity;
      this.#open = { database: await this.#openFile(), statements: new Map(), identity };
    }
    return runnerOf(this.#open);
  }

  async #openFile(): Promise<SqliteDatabase> {
    const { openDatabase, file, journal, lockWaitMs } = this.#options;
    if (this.#isClosed) throw Object.assign(new Error("The search index is closed."), { code: "SQLITE_MISUSE" });
    const database = openDatabase(file, 0);
    try {
      await retryWhileBusy(() => {
        database.exec(`PRAGMA page_size = ${PAGE_BYTES}; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = ${journal}`);
        for (const setting of SETTINGS) database.exec(`PRAGMA ${setting}`);
        database.exec("PRAGMA synchronous = NORMAL");
      }, lockWaitMs);
      await retryWhileBusy(() => prepareSchema(database), lockWaitMs);
      database.exec("CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab(main, term, row)");
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

function runnerOf({ database, statements }: Open): Run {
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

function prepareSchema(database: SqliteDatabase): void {
  database.exec("BEGIN IMMEDIATE");
  try {
    const { user_version: version } = database.prepare("PRAGMA user_version").get() as { user_version: number };
    if (version !== 0 && version !== INDEX_VERSION) throw Object.assign(new Error("It is of another version."), { code: OTHER_VERSION });
    if (version === 0) database.exec(`${SEARCH_SCHEMA}; PRAGMA user_version = ${INDEX_VERSION}`);
    database.exec("COMMIT");
  } catch (error) {
    database.exec("ROLLBACK");
    throw error;
  }
}

const OTHER_VERSION = "SQLITE_NOTADB";

function isDamage(error: unknown): boolean {
  return error instanceof Error && "code" in error && /^SQLITE_(CORRUPT|NOTADB)/.test(String(error.code));
}

function rollBack(run: Run): void {
  try {
    run.exec("ROLLBACK");
  } catch {
    // SQLite has rolled back by itself.
  }
}
