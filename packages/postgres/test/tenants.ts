import type { Database } from "../src/sql-connection.ts";

const TABLES = [
  "store",
  "session",
  "session_tag",
  "checkpoint",
  "checkpoint_tag",
  "checkpoint_total",
  "edge",
  "removal",
  "erasure",
  "hold",
  "audit",
  "opener",
  "blob",
  "quarantine",
] as const;

/** Deletes all rows of a tenant. */
export async function emptyTenant(database: Database, tenant: string): Promise<void> {
  const connection = await database.connect();
  try {
    await Promise.all(
      TABLES.map((table) => connection.run({ sql: `delete from workrail.${table} where tenant_id = $1`, parameters: [tenant] })),
    );
  } finally {
    connection.release(false);
  }
}
