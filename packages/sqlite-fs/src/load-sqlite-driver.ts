import { createRequire } from "node:module";
import { WorkrailError } from "@workrail/core";
import { betterSqlite3 } from "./better-sqlite3-driver.ts";
import { nodeSqlite } from "./node-sqlite-driver.ts";
import type { Require, SqliteDriver, SqliteDriverName } from "./sqlite-driver.ts";

/** `auto`: the first driver that this Node and this machine can load. */
export type SqliteDriverChoice = SqliteDriverName | "auto";

type Load = (require: Require) => SqliteDriver;

/** Drivers in order of preference. better-sqlite3 measured faster, and its SQLite version does not change with Node. */
const LOADERS: readonly (readonly [SqliteDriverName, Load])[] = [
  ["better-sqlite3", betterSqlite3],
  ["node:sqlite", nodeSqlite],
];

/**
 * Loads a driver with its native code, so that a returned driver works.
 *
 * @throws STORAGE_UNAVAILABLE with the reason `no-sqlite` when no driver can be loaded; its details tell why each one failed.
 */
export function loadSqliteDriver(
  choice: SqliteDriverChoice = "auto",
  require: Require = createRequire(import.meta.url) as Require,
): SqliteDriver {
  const failures = new Map<SqliteDriverName, unknown>();
  for (const [name, load] of LOADERS) {
    if (choice !== "auto" && choice !== name) continue;
    try {
      return load(require);
    } catch (error) {
      failures.set(name, error);
    }
  }
  throw noSqlite(failures);
}

function noSqlite(failures: ReadonlyMap<SqliteDriverName, unknown>): WorkrailError {
  const names = [...failures.keys()].join(" and ");
  return new WorkrailError("STORAGE_UNAVAILABLE", `No SQLite can be loaded: ${names} cannot be used here.`, {
    details: { reason: "no-sqlite", tried: Object.fromEntries([...failures].map(([name, error]) => [name, why(error)])) },
    hint: "Run Workrail with Node 22.13 or newer, which has SQLite built in, or reinstall it to get the better-sqlite3 of this machine.",
    cause: new AggregateError(failures.values(), "No driver could be loaded."),
  });
}

function why(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split("\n", 1)[0] ?? "";
}
