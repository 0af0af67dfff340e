import { type Migration, MIGRATIONS } from "./migrations.ts";
import { retryWhileBusy } from "./retry-while-busy.ts";
import { APPLICATION_ID } from "./schema.ts";
import { META, readSchema, type SchemaState } from "./schema-version.ts";
import type { SqliteDatabase } from "./sqlite-driver.ts";
import { databaseDamaged } from "./storage-errors.ts";
import { sumRows } from "./sum-rows.ts";

export interface MigrateOptions {
  /** How long to wait for others that write, or migrate too. */
  readonly lockWaitMs: number;
  /** Default: those of this version. */
  readonly migrations?: readonly Migration[] | undefined;
  /** Whether nothing will be written but what makes an older schema readable. Default `false`. */
  readonly isForReading?: boolean | undefined;
  /** Keeps a copy of the database as it is, before it gets this schema. While it runs nobody can write. */
  keepCopy(schema: number): Promise<void>;
}

/** The schema of a database, looked at in a transaction. Throws as `readSchema`; close the connection then. */
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
 * Brings a database to the newest schema, in one transaction, and keeps a copy before when there is anything in it.
 * Killed anywhere, it has happened or not. One that is newer already, and that we may write, stays as it is.
 *
 * @param seen what `inspectSchema` said.
 * @returns the schema it has now.
 * @throws as `readSchema`; the driver's errors, that of a busy database among them, and an error with the code
 *   SQLITE_CORRUPT when rows point to others that are not there. Close the connection then.
 */
export async function migrate(database: SqliteDatabase, seen: SchemaState, options: MigrateOptions): Promise<number> {
  const { lockWaitMs, migrations = MIGRATIONS } = options;
  if (isDone(seen, migrations)) return seen.version;
  // Has no effect within a transaction. A migration that makes a table anew must not empty those that point to it.
  database.exec("PRAGMA foreign_keys = OFF");
  await retryWhileBusy(() => database.exec("BEGIN IMMEDIATE"), lockWaitMs);
  // Another process may have been faster, and it may have been a newer one.
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
  // At the end, for only then rows have the columns that this version sums.
  if (steps.some(({ changesSums }) => changesSums)) sumRows(database);
  // What one step demands, a later one cannot take back.
  const minReader = Math.max(...migrations.map((migration) => migration.minReader));
  const minWriter = Math.max(...migrations.map((migration) => migration.minWriter));
  database.exec(`${META}; INSERT OR REPLACE INTO meta VALUES ('min_reader', ${minReader}), ('min_writer', ${minWriter})`);
  // One that is just made needs no check; of an older one nobody knows when it had its last.
  if (from === 0) database.exec(`INSERT INTO meta VALUES ('checked_at', ${Date.now()})`);
  if (database.prepare("PRAGMA foreign_key_check").get() !== undefined) {
    throw databaseDamaged("Rows of the catalog point to others that are not there.");
  }
  database.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${migrations.length}`);
}
