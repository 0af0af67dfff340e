import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";

/** Adds to the audit log who proved to be the caller, where callers prove it. */
export const auditSubject: Migration = {
  async up(db: Kysely<unknown>) {
    await sql.raw("ALTER TABLE workrail.audit ADD COLUMN subject workrail.word").execute(db);
  },
};
