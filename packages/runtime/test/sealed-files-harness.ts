import { openFilesStorage } from "@workrail/files-catalog";
import type { StorageHarness } from "@workrail/storage-conformance/harness";
import { sealedHarnessOver } from "./sealed-harness-over.ts";

export const harness: StorageHarness = sealedHarnessOver({
  name: "files-catalog",
  module: import.meta.url,
  manyOpeners: false,
  catalog: "catalog.jsonl",
  open: (dataDir, fs) => openFilesStorage({ dataDir, lockWaitMs: 10_000, fs }),
});
