/** A library that runs SQLite in this process. A process must open one file with one driver only. */
export interface SqliteDriver {
  readonly name: SqliteDriverName;
  readonly open: OpenDatabase;
}

export type SqliteDriverName = "better-sqlite3" | "node:sqlite";

/**
 * Opens a database file that waits at most `busyMs` for each lock inside SQLite. The `code` of an error is SQLite's name
 * of it, such as `SQLITE_BUSY`, or an extended name that begins with that, such as `SQLITE_BUSY_SNAPSHOT`.
 */
export type OpenDatabase = (file: string, busyMs: number) => SqliteDatabase;

/** Returns the module of a name, or throws. */
export type Require = (name: string) => unknown;

/** The methods of a database that this package uses. */
export interface SqliteDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): SqliteStatement;
  close(): unknown;
}

export interface SqliteStatement {
  run(...parameters: readonly SqliteValue[]): { readonly changes: number | bigint };
  get(...parameters: readonly SqliteValue[]): unknown;
  all(...parameters: readonly SqliteValue[]): readonly unknown[];
}

export type SqliteValue = string | number | bigint | null | Uint8Array;
