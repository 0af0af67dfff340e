import type { PGlite } from "@electric-sql/pglite";
import { noPostgres } from "@workrail/faults";
import { describeStorage } from "@workrail/storage-conformance";
import { afterAll, beforeAll, describe } from "vitest";
import { migratedPglite, pgliteHarness } from "./pglite-harness.ts";

const isThorough = process.env["WORKRAIL_CONFORMANCE_STRIDE"] !== undefined;
const isNeeded = isThorough || noPostgres() !== undefined;

describe.skipIf(!isNeeded)(`a database in this process${isNeeded ? "" : ": not run, a real server runs the same kit"}`, () => {
  let pglite: PGlite;

  beforeAll(async () => {
    pglite = await migratedPglite();
  });
  afterAll(() => pglite.close());

  describeStorage(
    pgliteHarness(() => pglite),
    { runs: 60, operations: 100 },
  );
});
