import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";

/** Adds the subject of the caller's token to the rows of the audit log. */
export const auditSubject: Migration = {
  async up(db: Kysely<unknown>) {
    await sql.raw("ALTER TABLE workrail.audit ADD COLUMN subject workrail.word").execute(db);
  },
};
