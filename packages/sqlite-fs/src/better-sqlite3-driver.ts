import type { Require, SqliteDatabase, SqliteDriver } from "./sqlite-driver.ts";

/** The oldest Node that its binaries run on; older ones do not refuse, they crash. */
const OLDEST_NODE = 22;

type DatabaseConstructor = new (file: string, options: { readonly timeout: number }) => SqliteDatabase;

/** better-sqlite3: a native module with a SQLite of its own. Its errors are as we want them. */
export function betterSqlite3(require: Require): SqliteDriver {
  const major = Number(process.versions.node.split(".")[0]);
  if (major < OLDEST_NODE) throw new Error(`Node ${process.versions.node} is too old for better-sqlite3.`);
  const Database = require("better-sqlite3") as DatabaseConstructor;
  // The native part is only loaded by the first database.
  new Database(":memory:", { timeout: 0 }).close();
  return { name: "better-sqlite3", open: (file, busyMs) => new Database(file, { timeout: busyMs }) };
}
