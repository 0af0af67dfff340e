import { randomUUID } from "node:crypto";
import { openPostgres } from "@workrail/postgres";
import type { StorageHarness } from "@workrail/storage-conformance/harness";
import { openOver } from "../src/open-postgres.ts";
import { openPool, pgDatabase } from "../src/pg-database.ts";
import { sharedPool } from "../src/shared-pool.ts";
import { struck } from "./struck.ts";
import { emptyTenant } from "./tenants.ts";

/** Variable with the URL of the migrated database of a test. Child processes of the kit have it too. */
export const TEST_URL = "WORKRAIL_TEST_POSTGRES";

/** Stores in one database, each the store of another tenant. */
export const harness: StorageHarness = {
  name: "PostgreSQL",
  module: import.meta.url,
  capabilities: { persistent: true, manyOpeners: true, seesBlobs: true },
  create: async () => randomUUID(),
  open: (tenant) => openPostgres({ url: testUrl(), tenant, leaseMs: LEASE_MS, maxConnections: MOST_CONNECTIONS }),
  openWithFaults: (tenant, faults) => openOver(struck(databaseOf(testUrl()), faults), { tenant, leaseMs: FAULTY_LEASE_MS, retryMs: 0 }),
  async destroy(tenant) {
    const database = sharedPool({ url: testUrl(), maxConnections: MOST_CONNECTIONS });
    await emptyTenant(database, tenant);
    await database.close();
  },
};

/** Connections of a process to the database. */
export const MOST_CONNECTIONS = 5;

const LEASE_MS = 2_000;

/** Short: the store is opened anew after each fault, and each lost connection may leave a lease. */
const FAULTY_LEASE_MS = 300;

function databaseOf(url: string) {
  return pgDatabase(openPool({ url, maxConnections: 4 }));
}

function testUrl(): string {
  const url = process.env[TEST_URL];
  if (url === undefined) throw new Error(`${TEST_URL} is not set.`);
  return url;
}
