import { randomUUID } from "node:crypto";
import { PGlite } from "@electric-sql/pglite";
import type { StorageHarness } from "@workrail/storage-conformance";
import { Kysely, PGliteDialect } from "kysely";
import { migrateOver } from "../src/migrate.ts";
import { openOver } from "../src/open-postgres.ts";
import { pgliteDatabase } from "./pglite-database.ts";
import { emptyTenant } from "./tenants.ts";

/** Makes a migrated database in this process. */
export async function migratedPglite(): Promise<PGlite> {
  const pglite = await PGlite.create();
  await migrateOver(new Kysely({ dialect: new PGliteDialect({ pglite }) }));
  return pglite;
}

/** Stores in one PGlite, each the store of another tenant. */
export function pgliteHarness(pglite: () => PGlite): StorageHarness {
  return {
    name: "PGlite",
    capabilities: { persistent: true, manyOpeners: true, seesBlobs: true },
    create: async () => randomUUID(),
    open: (place) => openOver(pgliteDatabase(pglite()), { tenant: place, leaseMs: 1_500 }),
    destroy: (place) => emptyTenant(pgliteDatabase(pglite()), place),
  };
}
