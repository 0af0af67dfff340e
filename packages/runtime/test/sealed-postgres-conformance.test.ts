import { noPostgres } from "@workrail/faults";
import { describeCatalog, describeRecovery, describeStorage, type StorageHarness } from "@workrail/storage-conformance";
import { afterAll, beforeAll, describe } from "vitest";
import { migratedPglite, pgliteHarness } from "@workrail/postgres/test/pglite-harness";
import { useServer } from "@workrail/postgres/test/use-server";
import { sealedOver } from "./sealed-harness-over.ts";
import { harness } from "./sealed-postgres-harness.ts";
import { IS_LONG } from "../../storage-conformance/test/long-form.ts";

const missing = noPostgres();

/**
 * Tests what sealing and the tables share: sealed texts in rows, and their return from sealed blobs. The layers below, and sealing over
 * memory, always run in their own tests.
 */
function describePorts(sealed: StorageHarness): void {
  describeCatalog(sealed, { runs: 5 });
  describeRecovery(sealed);
}

describe.skipIf(missing === undefined && !IS_LONG)("in this process, where no server can be started", () => {
  let pglite: Awaited<ReturnType<typeof migratedPglite>>;
  beforeAll(async () => {
    pglite = await migratedPglite();
  });
  afterAll(() => pglite.close());

  const sealed = sealedOver(pgliteHarness(() => pglite));
  if (IS_LONG) describeStorage(sealed, { runs: 10, operations: 50 });
  else describePorts(sealed);
});

describe.skipIf(missing !== undefined)(`a real server${missing === undefined ? "" : `: not run, ${missing}`}`, () => {
  useServer();
  if (IS_LONG) describeStorage(harness, { runs: 10, operations: 50, kills: 2, faults: false });
  else {
    const { module: _module, ...alone } = harness;
    describePorts(alone);
  }
});
