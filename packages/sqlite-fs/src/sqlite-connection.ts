import { inspectSchema, migrate, type MigrateOptions } from "./migrate.ts";
import { retryWhileBusy } from "./retry-while-busy.ts";
import { type SchemaState, userVersion } from "./schema-version.ts";
import type { OpenDatabase, SqliteDatabase, SqliteStatement } from "./sqlite-driver.ts";

/** While SQLite itself waits (a reader behind a recovery) the event loop stands still: rare and short. */
const INNER_WAIT_MS = 5_000;

/** `WAL`: readers and a writer at once, by memory that processes share. `DELETE`: for where that cannot be. */
export type JournalMode = "WAL" | "DELETE";

export interface ConnectionOptions extends MigrateOptions {
  readonly journal: JournalMode;
}

/**
 * Without them a power cut may take back what was acknowledged: better-sqlite3 is compiled with NORMAL for WAL, and
 * a journal whose removal is not on the disk comes back.
 */
const SYNCHRONOUS: Readonly<Record<JournalMode, string>> = { WAL: "FULL", DELETE: "EXTRA" };

/**
 * What one call reads is little, and mostly what no earlier one did: a cache that the processor has at hand serves it better than
 * one of SQLite's 2,000 KiB. What a save does here takes a fifth less of the processor.
 */
const CACHE_KIB = 256;

const SETTINGS = [
  `cache_size = -${CACHE_KIB}`,
  "foreign_keys = ON",
  "secure_delete = ON",
  "trusted_schema = OFF",
  "cell_size_check = ON",
  `journal_size_limit = ${4 * 1024 * 1024}`,
  ...(process.platform === "darwin" ? ["fullfsync = ON", "checkpoint_fullfsync = ON"] : []),
];

/**
 * Of databases that are made from now on; nothing changes it in those that are there. A save touches a dozen pages, which
 * go to the log and, later, to the database; and what a small store takes is mostly what its tables leave free.
 */
const PAGE_BYTES = 1024;

const MAX_STATEMENTS = 200;

/** A database with its statements, each prepared once. */
export class SqliteConnection {
  readonly #database: SqliteDatabase;
  readonly #schema: number;
  readonly #statements = new Map<string, SqliteStatement>();

  /** Opens, and creates or migrates where needed, waiting for others that do the same. Errors are the driver's, or those of `migrate`. */
  static async open(file: string, openDatabase: OpenDatabase, options: ConnectionOptions): Promise<SqliteConnection> {
    const { database, seen, isProven } = await retryWhileBusy(() => openSet(file, openDatabase, options), options.lockWaitMs);
    try {
      const schema = await migrate(database, seen, options);
      // Some file systems accept WAL and fail with the first write.
      if (!isProven) await writeNothing(database, schema, options.lockWaitMs);
      return new SqliteConnection(database, schema);
    } catch (error) {
      database.close();
      throw error;
    }
  }

  private constructor(database: SqliteDatabase, schema: number) {
    this.#database = database;
    this.#schema = schema;
  }

  /** The prepared statement for this text. */
  statement(sql: string): SqliteStatement {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      // Filters come in many shapes; without a bound a long-lived server would keep them all.
      if (this.#statements.size >= MAX_STATEMENTS) this.#statements.clear();
      statement = this.#database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  /** From now on a statement that meets a lock waits for a while, for what nobody can wait for outside. */
  waitInside(): void {
    this.#database.exec(`PRAGMA busy_timeout = ${INNER_WAIT_MS}`);
  }

  /** Whether somebody gave it another schema since. To be asked within a transaction. */
  isMigrated(): boolean {
    return userVersion({ prepare: (sql) => this.statement(sql) }) !== this.#schema;
  }

  /** Whether it had more migrations, when it was opened, than these many. */
  isNewerThan(schema: number): boolean {
    return this.#schema > schema;
  }

  exec(sql: string): void {
    this.#database.exec(sql);
  }

  close(): void {
    this.#database.close();
  }
}

interface Opened {
  readonly database: SqliteDatabase;
  readonly seen: SchemaState;
  /** Whether somebody wrote in this journal mode here before. */
  readonly isProven: boolean;
}

function openSet(file: string, openDatabase: OpenDatabase, { journal, ...schema }: ConnectionOptions): Opened {
  // What nothing is committed to is a copy, and need not outlive a power cut.
  const synchronous = schema.isForReading === true ? "OFF" : SYNCHRONOUS[journal];
  const database = openDatabase(file, 0);
  try {
    // What was left in WAL mode can so be read without shared memory.
    if (journal === "DELETE") database.exec("PRAGMA locking_mode = EXCLUSIVE");
    // Before anything is set: the journal is a property of the file, and the file may not be ours.
    const seen = inspectSchema(database, schema);
    const before = pragma(database, "journal_mode");
    database.exec(`PRAGMA page_size = ${PAGE_BYTES}`);
    database.exec(`PRAGMA journal_mode = ${journal}; PRAGMA synchronous = ${synchronous}; PRAGMA locking_mode = NORMAL`);
    for (const setting of SETTINGS) database.exec(`PRAGMA ${setting}`);
    // Only the next look lets go of what the mode before held.
    userVersion(database);
    return { database, seen, isProven: journal === "DELETE" || before === "wal" };
  } catch (error) {
    database.close();
    throw error;
  }
}

async function writeNothing(database: SqliteDatabase, schema: number, lockWaitMs: number): Promise<void> {
  await retryWhileBusy(() => database.exec("BEGIN IMMEDIATE"), lockWaitMs);
  database.exec(`PRAGMA user_version = ${schema}`);
  await retryWhileBusy(() => database.exec("COMMIT"), lockWaitMs);
}

function pragma(database: SqliteDatabase, name: string): unknown {
  return Object.values(database.prepare(`PRAGMA ${name}`).get() as object)[0];
}
