import type { PGlite } from "@electric-sql/pglite";
import { noPostgres } from "@workrail/faults";
import { describeCatalog, describeStorage } from "@workrail/storage-conformance";
import { afterAll, beforeAll } from "vitest";
import { migratedPglite, pgliteHarness } from "./pglite-harness.ts";

/** `npm run test:faults` sets the variable and runs everything. */
const isThorough = process.env["WORKRAIL_CONFORMANCE_STRIDE"] !== undefined;

let pglite: PGlite;

beforeAll(async () => {
  pglite = await migratedPglite();
});
afterAll(() => pglite.close());

const harness = pgliteHarness(() => pglite);

// `server-conformance.test.ts` runs the same code over a server, if there is one. Statements may fail in another version, as PGlite's.
if (isThorough || noPostgres() !== undefined) describeStorage(harness, { runs: 60, operations: 100 });
else describeCatalog(harness, { runs: 20 });
