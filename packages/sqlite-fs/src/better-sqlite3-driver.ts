import type { Require, SqliteDatabase, SqliteDriver } from "./sqlite-driver.ts";

/** The oldest Node-API that its binaries work with: that of Node 22.14. An older Node does not refuse them, it crashes. */
const OLDEST_NODE_API = 10;

type DatabaseConstructor = new (file: string, options: { readonly timeout: number }) => SqliteDatabase;

/** better-sqlite3: a native module with a SQLite of its own. Its errors are as we want them. */
export function betterSqlite3(require: Require, nodeApi: number = Number(process.versions["napi"] ?? 0)): SqliteDriver {
  if (nodeApi < OLDEST_NODE_API) throw new Error(`Node ${process.versions.node} is too old for better-sqlite3, which needs 22.14.`);
  const Database = require("better-sqlite3") as DatabaseConstructor;
  // The native part is only loaded by the first database.
  new Database(":memory:", { timeout: 0 }).close();
  return { name: "better-sqlite3", open: (file, busyMs) => new Database(file, { timeout: busyMs }) };
}
