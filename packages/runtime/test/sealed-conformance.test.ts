import { describeCatalog, describeRecovery, describeStorage, describeUseCases, type StorageHarness } from "@workrail/storage-conformance";
import { harness as files } from "./sealed-files-harness.ts";
import { harness as sqlite } from "./sealed-sqlite-harness.ts";

/**
 * `npm run test:faults` sets the variable and runs everything. The layers below, and sealing over memory, always run in their own tests.
 */
const isThorough = process.env["WORKRAIL_CONFORMANCE_STRIDE"] !== undefined;

if (isThorough) {
  for (const harness of [sqlite, files]) describeStorage(harness);
} else {
  describeUseCases(alone(sqlite), { runs: 5, operations: 30 });
  // The catalog in files answers from rows in memory, as that below the sealed memory does.
  describeCatalog(alone(sqlite), { runs: 20 });
  for (const harness of [sqlite, files]) describeRecovery(alone(harness));
}

/** Removes the tests that need other processes. */
function alone({ module: _module, ...harness }: StorageHarness): StorageHarness {
  return harness;
}
