import { WorkrailError } from "@workrail/core";
import { APPLICATION_ID } from "./schema.ts";
import type { SqliteDatabase } from "./sqlite-driver.ts";

/**
 * Creates the table that every schema has, with numbers by name, for versions that do not know the schema. `min_reader` and
 * `min_writer` are the oldest schemas whose Workrail may read, or write, the database.
 */
export const META = "CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY NOT NULL, value INTEGER NOT NULL) STRICT, WITHOUT ROWID";

export interface SchemaState {
  /** Number of migrations that the database has had. */
  readonly version: number;
  readonly hasMeta: boolean;
}

/**
 * Reads the schema of a database. Changes nothing, because the file may belong to another program. Call it within a
 * transaction: another process may be creating the schema.
 *
 * @param newestKnown the schema that this Workrail creates.
 * @param isForReading true when nothing will be written.
 * @throws UNSUPPORTED_VERSION for a newer schema that this version must not write, or read; STORAGE_UNAVAILABLE for a database of
 *   another program.
 */
export function readSchema(database: SqliteDatabase, newestKnown: number, isForReading = false): SchemaState {
  if (pragma(database, "application_id") !== APPLICATION_ID) {
    if (isBlank(database)) return { version: 0, hasMeta: false };
    throw foreignDatabase();
  }
  const state = { version: userVersion(database), hasMeta: hasMeta(database) };
  if (state.version > newestKnown) refuseUnlessKnown(database, state, { newestKnown, isForReading });
  return state;
}

export function userVersion(database: Pick<SqliteDatabase, "prepare">): number {
  return pragma(database, "user_version");
}

function refuseUnlessKnown(
  database: SqliteDatabase,
  { version, hasMeta }: SchemaState,
  { newestKnown, isForReading }: { readonly newestKnown: number; readonly isForReading: boolean },
): void {
  const rows = hasMeta ? (database.prepare("SELECT name, value FROM meta").all() as readonly { name: string; value: number }[]) : [];
  const [minReader = version, minWriter = version] = ["min_reader", "min_writer"].map(
    (name) => rows.find((row) => row.name === name)?.value,
  );
  const canRead = minReader <= newestKnown;
  if (minWriter <= newestKnown || (isForReading && canRead)) return;
  const means = canRead ? "which this Workrail may read but not write" : "which this Workrail cannot read";
  throw new WorkrailError("UNSUPPORTED_VERSION", `The store has schema ${version}, ${means}.`, {
    details: { schema: version, newestKnown, minReader, minWriter, canRead },
    hint: `Update Workrail to a version that knows schema ${minWriter}; this one knows up to ${newestKnown}.${canRead ? " With --read-only it can read the store." : ""}`,
  });
}

function foreignDatabase(): WorkrailError {
  return new WorkrailError("STORAGE_UNAVAILABLE", "The file workrail.db is not a Workrail database.", {
    details: { reason: "foreign-database" },
    hint: "Choose another data directory, or move that file away.",
  });
}

function isBlank(database: SqliteDatabase): boolean {
  return database.prepare("SELECT 1 FROM sqlite_master LIMIT 1").get() === undefined;
}

function hasMeta(database: SqliteDatabase): boolean {
  return database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'meta'").get() !== undefined;
}

function pragma(database: Pick<SqliteDatabase, "prepare">, name: "user_version" | "application_id"): number {
  const row = database.prepare(`PRAGMA ${name}`).get() as Record<string, number>;
  return Number(row[name]);
}
