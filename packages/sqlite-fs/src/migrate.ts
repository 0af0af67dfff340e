import { type Migration, MIGRATIONS } from "./migrations.ts";
import { retryWhileBusy } from "./retry-while-busy.ts";
import { APPLICATION_ID } from "./schema.ts";
import { META, readSchema, type SchemaState } from "./schema-version.ts";
import type { SqliteDatabase } from "./sqlite-driver.ts";
import { databaseDamaged } from "./storage-errors.ts";
import { sumRows } from "./sum-rows.ts";

export interface MigrateOptions {
  /** Longest wait for other processes that write or migrate. */
  readonly lockWaitMs: number;
  /** Default: the migrations of this version. */
  readonly migrations?: readonly Migration[] | undefined;
  /** True when nothing is written except migrations that make an older schema readable. Default `false`. */
  readonly isForReading?: boolean | undefined;
  /** Copies the database before it is migrated to this schema. No other process can write meanwhile. */
  keepCopy(schema: number): Promise<void>;
}

/** Reads the schema of a database in a transaction. Throws as `readSchema`; close the connection then. */
export function inspectSchema(
  database: SqliteDatabase,
  { migrations = MIGRATIONS, isForReading }: Pick<MigrateOptions, "migrations" | "isForReading"> = {},
): SchemaState {
  database.exec("BEGIN");
  const state = readSchema(database, migrations.length, isForReading);
  database.exec("COMMIT");
  return state;
}

/**
 * Migrates a database to the newest schema in one transaction. Copies the database first unless it is new. A kill at any
 * point leaves the old schema or the new one. Leaves a database with a newer schema, which this version may write, unchanged.
 *
 * @param seen the result of `inspectSchema`.
 * @returns the schema of the database now.
 * @throws as `readSchema`; errors of the driver, including busy; an error with the code SQLITE_CORRUPT when rows refer to
 *   missing rows. Close the connection then.
 */
export async function migrate(database: SqliteDatabase, seen: SchemaState, options: MigrateOptions): Promise<number> {
  const { lockWaitMs, migrations = MIGRATIONS } = options;
  if (isDone(seen, migrations)) return seen.version;
  // Set before the transaction, within which it has no effect. Recreating a table must not empty the tables that refer to it.
  database.exec("PRAGMA foreign_keys = OFF");
  await retryWhileBusy(() => database.exec("BEGIN IMMEDIATE"), lockWaitMs);
  // Another process, possibly of a newer version, may have migrated the database meanwhile.
  const state = readSchema(database, migrations.length, options.isForReading);
  if (!isDone(state, migrations)) {
    if (state.version > 0 && state.version < migrations.length) await options.keepCopy(migrations.length);
    apply(database, state.version, migrations);
  }
  await retryWhileBusy(() => database.exec("COMMIT"), lockWaitMs);
  database.exec("PRAGMA foreign_keys = ON");
  return Math.max(state.version, migrations.length);
}

function isDone({ version, hasMeta }: SchemaState, migrations: readonly Migration[]): boolean {
  return hasMeta && version >= migrations.length;
}

function apply(database: SqliteDatabase, from: number, migrations: readonly Migration[]): void {
  const steps = migrations.slice(from);
  for (const { sql } of steps) database.exec(sql);
  // Last, because only then the rows have the columns that this version sums.
  if (steps.some(({ changesSums }) => changesSums)) sumRows(database);
  // A later step cannot lower the demands of an earlier one.
  const minReader = Math.max(...migrations.map((migration) => migration.minReader));
  const minWriter = Math.max(...migrations.map((migration) => migration.minWriter));
  database.exec(`${META}; INSERT OR REPLACE INTO meta VALUES ('min_reader', ${minReader}), ('min_writer', ${minWriter})`);
  // A new database needs no check; the last check of an older one is unknown.
  if (from === 0) database.exec(`INSERT INTO meta VALUES ('checked_at', ${Date.now()})`);
  if (database.prepare("PRAGMA foreign_key_check").get() !== undefined) {
    throw databaseDamaged("Rows of the catalog point to others that are not there.");
  }
  database.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${migrations.length}`);
}
