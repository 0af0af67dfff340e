import { listTenants as tenantsIn } from "@workrail/postgres";
import { checkParams } from "./check-params.ts";
import type { MigrateStoreOptions } from "./migrate-options.ts";
import { notADatabase } from "./migrate-store.ts";
import { readSettings } from "./settings.ts";

/** Lists the tenants of a database, as `listTenants` of the library describes. */
export async function listTenants(options: MigrateStoreOptions): Promise<readonly string[]> {
  checkParams(options, "listTenants", "options");
  const { store } = readSettings(options.env ?? process.env, options);
  if (store === undefined) throw notADatabase();
  return tenantsIn(store);
}
