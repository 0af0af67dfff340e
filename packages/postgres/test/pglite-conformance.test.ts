import { randomUUID } from "node:crypto";
import { PGlite } from "@electric-sql/pglite";
import { openOver } from "../src/open-postgres.ts";
import { describeStorage, type StorageHarness } from "@workrail/storage-conformance";
import { Kysely, PGliteDialect } from "kysely";
import { afterAll, beforeAll } from "vitest";
import { migrateOver } from "../src/migrate.ts";
import { emptyTenant } from "./tenants.ts";
import { pgliteDatabase } from "./pglite-database.ts";

let pglite: PGlite;

beforeAll(async () => {
  pglite = await PGlite.create();
  await migrateOver(new Kysely({ dialect: new PGliteDialect({ pglite }) }));
});
afterAll(() => pglite.close());

const harness: StorageHarness = {
  name: "PGlite",
  capabilities: { persistent: true, manyOpeners: true, seesBlobs: true },
  create: async () => randomUUID(),
  open: (place) => openOver(pgliteDatabase(pglite), { tenant: place, leaseMs: 1_500 }),
  destroy: (place) => emptyTenant(pgliteDatabase(pglite), place),
};

describeStorage(harness, { runs: 60, operations: 100 });
