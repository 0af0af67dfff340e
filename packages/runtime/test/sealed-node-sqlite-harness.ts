import { openSqliteFs } from "@workrail/sqlite-fs";
import type { StorageHarness } from "@workrail/storage-conformance/harness";
import { lockWaitMs } from "../../sqlite-fs/test/harness-over.ts";
import { sealedHarnessOver } from "./sealed-harness-over.ts";

export const harness: StorageHarness = sealedHarnessOver({
  name: "sqlite-fs on node:sqlite",
  module: import.meta.url,
  manyOpeners: true,
  catalog: "workrail.db",
  open: (dataDir, fs) => openSqliteFs({ dataDir, lockWaitMs, fs, driver: "node:sqlite" }),
});
