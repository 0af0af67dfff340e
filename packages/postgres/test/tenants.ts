import { TABLES_OF_TENANTS } from "../src/migrations/0002-row-security.ts";
import { TABLES_OF_SEARCH } from "../src/migrations/0004-search.ts";
import { TABLES_OF_KEYS } from "../src/migrations/0006-keys.ts";
import { TABLES_OF_JOBS } from "../src/migrations/0008-jobs.ts";
import type { Database } from "../src/sql-connection.ts";

/** Deletes all rows of a tenant. */
export async function emptyTenant(database: Database, tenant: string): Promise<void> {
  const connection = await database.connect();
  try {
    await Promise.all([
      connection.run({ sql: "begin", parameters: [] }),
      connection.run({ sql: "select set_config('workrail.tenant', $1, true)", parameters: [tenant] }),
      ...[...TABLES_OF_TENANTS, ...TABLES_OF_SEARCH, ...TABLES_OF_KEYS, ...TABLES_OF_JOBS, "checkpoint_attribute"].map((table) =>
        connection.run({ sql: `delete from workrail.${table} where tenant_id = $1`, parameters: [tenant] }),
      ),
      connection.run({ sql: "commit", parameters: [] }),
    ]);
  } finally {
    connection.release(false);
  }
}
