import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";

/** Lets a transaction that asks for it read the rows of `store` of all tenants, for the work that is due in each. It sees nothing else of them. */
export const tenantNames: Migration = {
  async up(db: Kysely<unknown>) {
    const isListing = "current_setting('workrail.lists_tenants', true) = 'on'";
    await sql.raw(`CREATE POLICY of_listing ON workrail.store FOR SELECT USING (${isListing})`).execute(db);
  },
};
