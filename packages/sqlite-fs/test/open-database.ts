import type { SqliteDatabase } from "../src/sqlite-driver.ts";
import { loadSqliteDriver, type SqliteDriverChoice } from "../src/load-sqlite-driver.ts";

/** Driver of the stores in tests and of the tests themselves: two SQLite libraries in one process do not see each other's locks. */
export const driver = loadSqliteDriver(process.env["WORKRAIL_SQLITE_DRIVER"] as SqliteDriverChoice | undefined);
export const openDatabase = driver.open;

/** Changes a database from outside of a store. */
export function executeIn(file: string, sql: string): void {
  withDatabase(file, (database) => database.exec(sql));
}

export function rowsIn(file: string, sql: string): readonly unknown[] {
  return withDatabase(file, (database) => database.prepare(sql).all());
}

/** Opens a database from outside of a store. */
export function withDatabase<T>(file: string, use: (database: SqliteDatabase) => T): T {
  const database = openDatabase(file, 1_000);
  try {
    return use(database);
  } finally {
    database.close();
  }
}
