import { describeCatalog, describeRecovery, describeStorage, type StorageHarness } from "@workrail/storage-conformance";
import { harness as files } from "./sealed-files-harness.ts";
import { harness as sqlite } from "./sealed-sqlite-harness.ts";
import { IS_LONG } from "../../storage-conformance/test/long-form.ts";

// The layers below, and sealing over memory with its use cases, always run in their own tests.
if (IS_LONG) {
  for (const harness of [sqlite, files]) describeStorage(harness);
} else {
  // The catalog in files answers from rows in memory, as that below the sealed memory does.
  describeCatalog(alone(sqlite), { runs: 20 });
  for (const harness of [sqlite, files]) describeRecovery(alone(harness));
}

/** Removes the tests that need other processes. */
function alone({ module: _module, ...harness }: StorageHarness): StorageHarness {
  return harness;
}
