import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";

/**
 * Keys of sealed stores, which need blobs whose names tell the session. Stores that have blobs already keep the names of before, and no keys:
 * objects in S3 have names that derive from them.
 */
export const keys: Migration = {
  async up(db: Kysely<unknown>) {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
  },
};

const IS_OF_TENANT = "tenant_id = nullif(current_setting('workrail.tenant', true), '')";

const STATEMENTS = [
  "ALTER TABLE workrail.store ADD COLUMN names_sessions boolean NOT NULL DEFAULT false",
  "CREATE TABLE workrail.key (tenant_id workrail.word, place workrail.word, bytes bytea NOT NULL, PRIMARY KEY (tenant_id, place))",
  "ALTER TABLE workrail.key ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY",
  `CREATE POLICY of_tenant ON workrail.key USING (${IS_OF_TENANT}) WITH CHECK (${IS_OF_TENANT})`,
];

/** Tables of this migration with rows of tenants. */
export const TABLES_OF_KEYS = ["key"] as const;
