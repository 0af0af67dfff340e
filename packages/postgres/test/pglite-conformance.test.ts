import type { PGlite } from "@electric-sql/pglite";
import { noPostgres } from "@workrail/faults";
import { describeBlobStore, describeCatalog, describeLocking, describeRecovery, describeStorage } from "@workrail/storage-conformance";
import { afterAll, beforeAll } from "vitest";
import { migratedPglite, pgliteHarness } from "./pglite-harness.ts";

/** `npm run test:faults` sets the variable and runs everything. So does a machine without a server, where no other test runs the statements. */
const isThorough = process.env["WORKRAIL_CONFORMANCE_STRIDE"] !== undefined || noPostgres() !== undefined;

let pglite: PGlite;

beforeAll(async () => {
  pglite = await migratedPglite();
});
afterAll(() => pglite.close());

const harness = pgliteHarness(() => pglite);

if (isThorough) describeStorage(harness, { runs: 60, operations: 100 });
else {
  // These reach every kind of statement, in PostgreSQL's other version. The use cases run over the server.
  describeBlobStore(harness);
  describeCatalog(harness, { runs: 60 });
  describeLocking(harness);
  describeRecovery(harness);
}
