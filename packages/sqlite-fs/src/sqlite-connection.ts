import { inspectSchema, migrate, type MigrateOptions } from "./migrate.ts";
import { retryWhileBusy } from "./retry-while-busy.ts";
import { type SchemaState, userVersion } from "./schema-version.ts";
import type { OpenDatabase, SqliteDatabase, SqliteStatement } from "./sqlite-driver.ts";

/** Wait inside SQLite (a reader during a recovery). Blocks the event loop, which is rare and short. */
const INNER_WAIT_MS = 5_000;

/** `WAL`: readers and a writer at the same time, through shared memory. `DELETE`: for file systems without shared memory. */
export type JournalMode = "WAL" | "DELETE";

export interface ConnectionOptions extends MigrateOptions {
  readonly journal: JournalMode;
}

/**
 * Values of `synchronous` that keep acknowledged commits through a power cut. better-sqlite3 is compiled with NORMAL for WAL.
 * In DELETE mode, a journal whose removal did not reach the disk would come back and undo the commit.
 */
const SYNCHRONOUS: Readonly<Record<JournalMode, string>> = { WAL: "FULL", DELETE: "EXTRA" };

/**
 * Page cache in KiB. A call reads few pages, and mostly other pages than earlier calls, so a cache that fits into the processor's
 * cache serves it better than SQLite's 2,000 KiB: the database work of a save takes a fifth less processor time.
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
 * Page size of new databases; existing databases keep theirs. A save touches a dozen pages, which are written to the log and later
 * to the database. A small store consists mostly of the free space in the pages of its tables.
 */
const PAGE_BYTES = 1024;

const MAX_STATEMENTS = 200;

/** A database connection that prepares each statement once. */
export class SqliteConnection {
  readonly #database: SqliteDatabase;
  readonly #schema: number;
  readonly #statements = new Map<string, SqliteStatement>();

  /**
   * Opens a database, and creates or migrates it when needed. Waits for other processes that do the same.
   *
   * @throws errors of the driver and of `migrate`.
   */
  static async open(file: string, openDatabase: OpenDatabase, options: ConnectionOptions): Promise<SqliteConnection> {
    const { database, seen, isProven } = await retryWhileBusy(() => openSet(file, openDatabase, options), options.lockWaitMs);
    try {
      const schema = await migrate(database, seen, options);
      // Some file systems accept WAL and fail on the first write.
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

  /** Returns the prepared statement of a text. */
  statement(sql: string): SqliteStatement {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      // Filters give many different texts. Without a limit, a long-lived server would keep all statements.
      if (this.#statements.size >= MAX_STATEMENTS) this.#statements.clear();
      statement = this.#database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  /** Lets statements wait for locks inside SQLite, for the waits that cannot happen outside of it. */
  waitInside(): void {
    this.#database.exec(`PRAGMA busy_timeout = ${INNER_WAIT_MS}`);
  }

  /** True when the schema was changed since the database was opened. Call it within a transaction. */
  isMigrated(): boolean {
    const row = this.statement("PRAGMA user_version").get() as { readonly user_version: number };
    return row.user_version !== this.#schema;
  }

  /** True when the database had a newer schema than this one when it was opened. */
  isNewerThan(schema: number): boolean {
    return this.#schema > schema;
  }

  exec(sql: string): void {
    this.#database.exec(sql);
  }

  /** Rolls back a transaction that changed nothing, or was not committed. */
  abandon(): void {
    try {
      this.#database.exec("ROLLBACK");
    } catch {
      // No transaction is open: it was committed, or SQLite rolled it back.
    }
  }

  close(): void {
    this.#database.close();
  }
}

interface Opened {
  readonly database: SqliteDatabase;
  readonly seen: SchemaState;
  /** True when no test write is needed: the mode is DELETE, or the file was in WAL mode before. */
  readonly isProven: boolean;
}

function openSet(file: string, openDatabase: OpenDatabase, { journal, ...schema }: ConnectionOptions): Opened {
  // A database for reading is a copy, which need not survive a power cut.
  const synchronous = schema.isForReading === true ? "OFF" : SYNCHRONOUS[journal];
  const database = openDatabase(file, 0);
  try {
    // Exclusive locking reads a database that was left in WAL mode without shared memory.
    if (journal === "DELETE") database.exec("PRAGMA locking_mode = EXCLUSIVE");
    // Inspect before any setting: the journal mode is stored in the file, and the file may not be ours.
    const seen = inspectSchema(database, schema);
    const before = pragma(database, "journal_mode");
    database.exec(`PRAGMA page_size = ${PAGE_BYTES}`);
    database.exec(`PRAGMA journal_mode = ${journal}; PRAGMA synchronous = ${synchronous}; PRAGMA locking_mode = NORMAL`);
    for (const setting of SETTINGS) database.exec(`PRAGMA ${setting}`);
    // The next read releases the locks that the earlier locking mode held.
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
