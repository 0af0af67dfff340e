import { BETTER_SQLITE3 } from "./better-sqlite3-module.ts";
import type { Require, SqliteDatabase, SqliteDriver } from "./sqlite-driver.ts";

/** Oldest Node-API that the binaries work with: the one of Node 22.14. An older Node does not refuse the binaries but crashes. */
const OLDEST_NODE_API = 10;

type DatabaseConstructor = new (file: string, options: { readonly timeout: number }) => SqliteDatabase;

/** better-sqlite3: a native module with its own SQLite. Its errors already have SQLite's names as codes. */
export function betterSqlite3(require: Require, nodeApi: number = Number(process.versions["napi"] ?? 0)): SqliteDriver {
  if (nodeApi < OLDEST_NODE_API) throw new Error(`Node ${process.versions.node} is too old for better-sqlite3, which needs 22.14.`);
  const Database = require(BETTER_SQLITE3) as DatabaseConstructor;
  // Opening the first database loads the native part.
  new Database(":memory:", { timeout: 0 }).close();
  return { name: "better-sqlite3", open: (file, busyMs) => new Database(file, { timeout: busyMs }) };
}
