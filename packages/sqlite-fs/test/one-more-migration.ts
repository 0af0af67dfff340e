import { type Migration, MIGRATIONS } from "../src/migrations.ts";

const next: Migration = {
  sql: `ALTER TABLE session ADD COLUMN next INTEGER NOT NULL DEFAULT 7;
    CREATE TABLE next (session_id TEXT NOT NULL REFERENCES session (id)) STRICT;
    INSERT INTO next SELECT id FROM session`,
  minReader: 1,
  minWriter: MIGRATIONS.length,
};

/** Migrations of a hypothetical later version, with which there is always something to migrate. */
export const WITH_ONE_MORE: readonly Migration[] = [...MIGRATIONS, next];
