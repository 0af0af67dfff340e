/** A library that runs SQLite in this process. All who open one file in a process must do it by the same driver. */
export interface SqliteDriver {
  readonly name: SqliteDriverName;
  readonly open: OpenDatabase;
}

export type SqliteDriverName = "better-sqlite3" | "node:sqlite";

/**
 * Opens a database file, waiting at most `busyMs` for each lock inside SQLite. Errors have SQLite's name for them as
 * their `code`, such as `SQLITE_BUSY`; the name may be one of the longer ones that begin so.
 */
export type OpenDatabase = (file: string, busyMs: number) => SqliteDatabase;

/** Gives the module of that name, or throws. */
export type Require = (name: string) => unknown;

/** The few things we ask of a database. */
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
