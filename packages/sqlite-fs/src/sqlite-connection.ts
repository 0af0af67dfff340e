import { inspectSchema, migrate, type MigrateOptions } from "./migrate.ts";
import { retryWhileBusy } from "./retry-while-busy.ts";
import { type SchemaState, userVersion } from "./schema-version.ts";
import type { OpenDatabase, SqliteDatabase, SqliteStatement } from "./sqlite-driver.ts";

/** While SQLite itself waits (a reader behind a recovery) the event loop stands still: rare and short. */
const INNER_WAIT_MS = 5_000;

const SETTINGS = [
  "journal_mode = WAL",
  // better-sqlite3 is compiled with NORMAL for WAL, which loses acknowledged commits on a power cut.
  "synchronous = FULL",
  "foreign_keys = ON",
  "secure_delete = ON",
  "trusted_schema = OFF",
  "cell_size_check = ON",
  `journal_size_limit = ${4 * 1024 * 1024}`,
  ...(process.platform === "darwin" ? ["fullfsync = ON", "checkpoint_fullfsync = ON"] : []),
];

const MAX_STATEMENTS = 200;

/** A database with its statements, each prepared once. */
export class SqliteConnection {
  readonly #database: SqliteDatabase;
  readonly #schema: number;
  readonly #statements = new Map<string, SqliteStatement>();

  /** Opens, and creates or migrates where needed, waiting for others that do the same. Errors are the driver's, or those of `migrate`. */
  static async open(file: string, openDatabase: OpenDatabase, schema: MigrateOptions): Promise<SqliteConnection> {
    const { database, seen } = await retryWhileBusy(() => openSet(file, openDatabase, schema), schema.lockWaitMs);
    try {
      return new SqliteConnection(database, await migrate(database, seen, schema));
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
    return userVersion(this.#database) !== this.#schema;
  }

  exec(sql: string): void {
    this.#database.exec(sql);
  }

  close(): void {
    this.#database.close();
  }
}

function openSet(
  file: string,
  openDatabase: OpenDatabase,
  { migrations }: MigrateOptions,
): { database: SqliteDatabase; seen: SchemaState } {
  const database = openDatabase(file, 0);
  try {
    // Before anything is set: WAL is a property of the file, and the file may not be ours.
    const seen = inspectSchema(database, migrations);
    for (const setting of SETTINGS) database.exec(`PRAGMA ${setting}`);
    return { database, seen };
  } catch (error) {
    database.close();
    throw error;
  }
}
