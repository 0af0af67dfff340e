import { noPostgres } from "@workrail/faults";
import { describeCatalog, describeRecovery, describeStorage, type StorageHarness } from "@workrail/storage-conformance";
import { afterAll, beforeAll, describe } from "vitest";
import { migratedPglite, pgliteHarness } from "@workrail/postgres/test/pglite-harness";
import { useServer } from "@workrail/postgres/test/use-server";
import { sealedOver } from "./sealed-harness-over.ts";
import { harness } from "./sealed-postgres-harness.ts";

/** `npm run test:faults` sets the variable and runs everything. The layers below, and sealing over memory, always run in their own tests. */
const isThorough = process.env["WORKRAIL_CONFORMANCE_STRIDE"] !== undefined;

const missing = noPostgres();

/** Tests what sealing and the tables share: sealed texts in rows, and their return from sealed blobs. */
function describePorts(sealed: StorageHarness): void {
  describeCatalog(sealed, { runs: 5 });
  describeRecovery(sealed);
}

describe.skipIf(missing === undefined && !isThorough)("in this process, where no server can be started", () => {
  let pglite: Awaited<ReturnType<typeof migratedPglite>>;
  beforeAll(async () => {
    pglite = await migratedPglite();
  });
  afterAll(() => pglite.close());

  const sealed = sealedOver(pgliteHarness(() => pglite));
  if (isThorough) describeStorage(sealed, { runs: 10, operations: 50 });
  else describePorts(sealed);
});

describe.skipIf(missing !== undefined)(`a real server${missing === undefined ? "" : `: not run, ${missing}`}`, () => {
  useServer();
  if (isThorough) describeStorage(harness, { runs: 10, operations: 50, kills: 2, faults: false });
  else {
    const { module: _module, ...alone } = harness;
    describePorts(alone);
  }
});
