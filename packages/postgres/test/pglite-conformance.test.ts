import type { PGlite } from "@electric-sql/pglite";
import { noPostgres } from "@workrail/faults";
import { describeStorage } from "@workrail/storage-conformance";
import { afterAll, beforeAll, describe } from "vitest";
import { migratedPglite, pgliteHarness } from "./pglite-harness.ts";
import { IS_LONG } from "../../storage-conformance/test/long-form.ts";

const isNeeded = IS_LONG || noPostgres() !== undefined;

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
