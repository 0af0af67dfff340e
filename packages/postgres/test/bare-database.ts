import { openPool, pgDatabase } from "../src/pg-database.ts";
import type { Database, Statement } from "../src/sql-connection.ts";

/** One connection to a database, for the statements of a test. */
export function bareDatabase(url: string): Database {
  return pgDatabase(openPool({ url, maxConnections: 1 }));
}

/** Runs a statement on a connection of a database. */
export async function runOn<Row>(
  database: Database,
  sql: string,
  { parameters = [], name }: Partial<Pick<Statement, "parameters" | "name">> = {},
): Promise<readonly Row[]> {
  const connection = await database.connect();
  try {
    return await connection.run<Row>({ sql, parameters, name });
  } finally {
    connection.release(false);
  }
}
