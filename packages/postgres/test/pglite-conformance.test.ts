import type { PGlite } from "@electric-sql/pglite";
import { describeStorage } from "@workrail/storage-conformance";
import { afterAll, beforeAll } from "vitest";
import { migratedPglite, pgliteHarness } from "./pglite-harness.ts";

let pglite: PGlite;

beforeAll(async () => {
  pglite = await migratedPglite();
});
afterAll(() => pglite.close());

describeStorage(
  pgliteHarness(() => pglite),
  { runs: 60, operations: 100 },
);
