import { ask } from "./ask.ts";
import { expectSchema } from "./migrate.ts";
import { openPool, pgDatabase } from "./pg-database.ts";
import { builder } from "./queries/query-builder.ts";
import type { Database, Statement } from "./sql-connection.ts";
import { translating } from "./storage-errors.ts";

/**
 * Lists the tenants of a database, which anybody may do who can name one.
 *
 * @throws UNSUPPORTED_VERSION when the database has no tables, or those of another version; STORAGE_UNAVAILABLE.
 */
export async function listTenants(url: string): Promise<readonly string[]> {
  const database = pgDatabase(openPool({ url, maxConnections: 1 }));
  try {
    return await translating(() => tenantsIn(database));
  } finally {
    await database.close();
  }
}

async function tenantsIn(database: Database): Promise<readonly string[]> {
  const connection = await database.connect();
  let isBroken = true;
  try {
    await expectSchema(connection);
    const query = builder.selectFrom("store").select("tenant_id").orderBy("tenant_id");
    const [, , tenants] = await Promise.all([
      connection.run(BEGIN),
      connection.run(LISTING),
      ask(connection, query),
      connection.run(COMMIT),
    ]);
    isBroken = false;
    return tenants.map(({ tenant_id: tenant }) => tenant);
  } finally {
    connection.release(isBroken);
  }
}

const [BEGIN, LISTING, COMMIT] = ["begin read only", "select set_config('workrail.lists_tenants', 'on', true)", "commit"].map(
  (sql): Statement => ({ sql, parameters: [] }),
) as [Statement, Statement, Statement];
