import { loadSqliteDriver, type SqliteDriverChoice } from "../src/load-sqlite-driver.ts";

/** What stores in tests run on, and tests look at them with: two SQLites in one process do not see each other's locks. */
export const driver = loadSqliteDriver(process.env["WORKRAIL_SQLITE_DRIVER"] as SqliteDriverChoice | undefined);
export const openDatabase = driver.open;
