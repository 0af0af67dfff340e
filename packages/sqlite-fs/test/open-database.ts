import type { SqliteDatabase } from "../src/sqlite-driver.ts";
import { loadSqliteDriver, type SqliteDriverChoice } from "../src/load-sqlite-driver.ts";

/** What stores in tests run on, and tests look at them with: two SQLites in one process do not see each other's locks. */
export const driver = loadSqliteDriver(process.env["WORKRAIL_SQLITE_DRIVER"] as SqliteDriverChoice | undefined);
export const openDatabase = driver.open;

/** Has a database changed by somebody who is none of ours. */
export function executeIn(file: string, sql: string): void {
  withDatabase(file, (database) => database.exec(sql));
}

export function rowsIn(file: string, sql: string): readonly unknown[] {
  return withDatabase(file, (database) => database.prepare(sql).all());
}

/** Opens a database as somebody who is none of ours. */
export function withDatabase<T>(file: string, use: (database: SqliteDatabase) => T): T {
  const database = openDatabase(file, 1_000);
  try {
    return use(database);
  } finally {
    database.close();
  }
}
