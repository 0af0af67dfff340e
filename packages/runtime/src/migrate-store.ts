import { invalidInput, readOnly, type WorkrailError } from "@workrail/core";
import { migrate } from "@workrail/postgres";
import { checkParams } from "./check-params.ts";
import type { MigrateStoreOptions, MigrateStoreResult } from "./migrate-options.ts";
import { placeOf } from "./place-of.ts";
import { readSettings } from "./settings.ts";

/** Makes or updates the tables of a store's database, as `migrateStore` of the library describes. */
export async function migrateStore(options: MigrateStoreOptions): Promise<MigrateStoreResult> {
  checkParams(options, "migrateStore", "options");
  const settings = readSettings(options.env ?? process.env, options);
  if (settings.readOnly) throw readOnly();
  if (settings.store === undefined) throw notADatabase();
  const { applied } = await migrate(settings.store);
  return { store: placeOf(settings), applied };
}

export function notADatabase(): WorkrailError {
  return invalidInput(
    "store",
    "No database is named. A data directory has no tenants, and is migrated when it is opened.",
    "Name the database with --store or WORKRAIL_STORE.",
  );
}
