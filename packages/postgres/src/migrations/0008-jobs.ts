import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";

/** Claims of jobs: who does one now, and until when. */
export const jobs: Migration = {
  async up(db: Kysely<unknown>) {
    for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
  },
};

const IS_OF_TENANT = "tenant_id = nullif(current_setting('workrail.tenant', true), '')";

const STATEMENTS = [
  `CREATE TABLE workrail.job (
    tenant_id workrail.word, name workrail.word, holder workrail.word NOT NULL, until timestamptz NOT NULL, PRIMARY KEY (tenant_id, name)
  )`,
  "ALTER TABLE workrail.job ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY",
  `CREATE POLICY of_tenant ON workrail.job USING (${IS_OF_TENANT}) WITH CHECK (${IS_OF_TENANT})`,
];

/** Tables of this migration with rows of tenants. */
export const TABLES_OF_JOBS = ["job"] as const;
