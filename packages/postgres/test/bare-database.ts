import { openPool, pgDatabase } from "../src/pg-database.ts";
import type { Database } from "../src/sql-connection.ts";

/** One connection to a database, for the statements of a test. */
export function bareDatabase(url: string): Database {
  return pgDatabase(openPool({ url, maxConnections: 1 }));
}
