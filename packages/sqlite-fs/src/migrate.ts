import { WorkrailError } from "@workrail/core";
import { initial } from "./migrations/0001-initial.ts";
import { APPLICATION_ID } from "./schema.ts";
import type { SqliteDatabase } from "./sqlite-driver.ts";

/** In order; a database's `user_version` is how many of them it has had. */
const MIGRATIONS: readonly string[] = [initial];

/**
 * How many migrations a database has had. Changes nothing, so that what is not ours stays as it is.
 *
 * @throws UNSUPPORTED_VERSION for the database of a newer version; STORAGE_UNAVAILABLE for one that is not ours.
 */
export function schemaVersion(database: SqliteDatabase): number {
  return inTransaction(database, "BEGIN", () => versionOf(database));
}

/** Brings a database to this version's schema, in one transaction. Fails as busy while another process does the same. */
export function migrate(database: SqliteDatabase): void {
  if (schemaVersion(database) === MIGRATIONS.length) return;
  inTransaction(database, "BEGIN IMMEDIATE", () => {
    // Another process may have been faster, and it may have been a newer one.
    for (const migration of MIGRATIONS.slice(versionOf(database))) database.exec(migration);
    database.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${MIGRATIONS.length}`);
  });
}

/** What is looked at together is looked at in a transaction: another process may be about to create the schema. */
function inTransaction<T>(database: SqliteDatabase, begin: "BEGIN" | "BEGIN IMMEDIATE", work: () => T): T {
  database.exec(begin);
  const result = work();
  // On an error the connection is closed, and that rolls back.
  database.exec("COMMIT");
  return result;
}

function versionOf(database: SqliteDatabase): number {
  if (pragma(database, "application_id") !== APPLICATION_ID) {
    if (isBlank(database)) return 0;
    throw new WorkrailError("STORAGE_UNAVAILABLE", "The file workrail.db is not a Workrail database.", {
      details: { reason: "foreign-database" },
      hint: "Choose another data directory, or move that file away.",
    });
  }
  const version = pragma(database, "user_version");
  if (version <= MIGRATIONS.length) return version;
  throw new WorkrailError("UNSUPPORTED_VERSION", `The store has schema ${version}; this Workrail knows up to ${MIGRATIONS.length}.`, {
    details: { schema: version, newestKnown: MIGRATIONS.length },
    hint: "Update Workrail.",
  });
}

function isBlank(database: SqliteDatabase): boolean {
  return database.prepare("SELECT 1 FROM sqlite_master LIMIT 1").get() === undefined;
}

function pragma(database: SqliteDatabase, name: "user_version" | "application_id"): number {
  const row = database.prepare(`PRAGMA ${name}`).get() as Record<string, number>;
  return Number(row[name]);
}
