import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";

/**
 * Row-level security: a transaction sees and writes only the rows of the tenant that it names in `workrail.tenant`, and none when it names
 * none. The owner of the tables is no exception; a superuser, and a role with BYPASSRLS, is. A later migration that changes rows must
 * lift `FORCE` while it does so.
 */
export const rowSecurity: Migration = {
  async up(db: Kysely<unknown>) {
    for (const table of TABLES_OF_TENANTS) {
      await sql.raw(`ALTER TABLE workrail.${table} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY`).execute(db);
      await sql.raw(`CREATE POLICY of_tenant ON workrail.${table} USING (${IS_OF_TENANT}) WITH CHECK (${IS_OF_TENANT})`).execute(db);
    }
  },
};

/** After the transaction of a pool that named a tenant, the setting is an empty text, which is no tenant either. */
const IS_OF_TENANT = "tenant_id = nullif(current_setting('workrail.tenant', true), '')";

/** All tables with rows of tenants. The names of the migrations have no tenant: they are read before one is known. */
export const TABLES_OF_TENANTS = [
  "store",
  "opener",
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
  "blob",
  "quarantine",
] as const;
