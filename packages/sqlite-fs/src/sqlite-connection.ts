import { migrate, schemaVersion } from "./migrate.ts";
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
  readonly #statements = new Map<string, SqliteStatement>();

  /**
   * Opens, and creates or migrates where needed. Errors are the driver's, or those of `migrate`. It waits for nobody:
   * while another process does the same it fails as busy, and is to be called again.
   */
  static open(file: string, openDatabase: OpenDatabase): SqliteConnection {
    const database = openDatabase(file, 0);
    try {
      // Before anything is set: WAL is a property of the file, and the file may not be ours.
      schemaVersion(database);
      for (const setting of SETTINGS) database.exec(`PRAGMA ${setting}`);
      migrate(database);
    } catch (error) {
      database.close();
      throw error;
    }
    return new SqliteConnection(database);
  }

  private constructor(database: SqliteDatabase) {
    this.#database = database;
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

  exec(sql: string): void {
    this.#database.exec(sql);
  }

  close(): void {
    this.#database.close();
  }
}
