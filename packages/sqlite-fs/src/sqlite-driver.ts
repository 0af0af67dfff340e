import { createRequire } from "node:module";
import { WorkrailError } from "@workrail/core";

/** The few things we ask of a SQLite driver; better-sqlite3 has them all. */
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

/** The oldest Node that better-sqlite3's binaries run on; older ones do not refuse, they crash. */
const OLDEST_NODE = 22;

type DatabaseConstructor = new (file: string, options: { readonly timeout: number }) => SqliteDatabase;

export type OpenDatabase = (file: string, busyMs: number) => SqliteDatabase;

/**
 * Opens a database file, waiting at most `busyMs` for each lock inside SQLite. The native module is loaded on the
 * first call, so that a server answers before it needs its store.
 *
 * @throws STORAGE_UNAVAILABLE when the native module cannot be loaded; errors of SQLite as the driver gives them.
 */
export function openDatabase(file: string, busyMs: number): SqliteDatabase {
  const Database = loadDriver();
  return new Database(file, { timeout: busyMs });
}

let driver: DatabaseConstructor | undefined;

function loadDriver(): DatabaseConstructor {
  if (driver !== undefined) return driver;
  const major = Number(process.versions.node.split(".")[0]);
  if (major < OLDEST_NODE) throw unusable(`Node ${process.versions.node} is too old for it`);
  try {
    driver = createRequire(import.meta.url)("better-sqlite3") as DatabaseConstructor;
    return driver;
  } catch (cause) {
    throw unusable("it could not be loaded", cause);
  }
}

function unusable(why: string, cause?: unknown): WorkrailError {
  return new WorkrailError("STORAGE_UNAVAILABLE", `The native module better-sqlite3 cannot be used: ${why}.`, {
    details: { reason: "native-module" },
    hint: `Run Workrail with Node ${OLDEST_NODE} or newer and install it again.`,
    cause,
  });
}
