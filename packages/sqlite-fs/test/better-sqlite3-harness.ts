import { nodeFileSystem } from "@workrail/blob-files";
import { type StorageHarness, withFaults } from "@workrail/storage-conformance/harness";
import { openSqliteFs } from "../src/open-sqlite-fs.ts";
import { harnessOver, lockWaitMs } from "./harness-over.ts";

export const harness: StorageHarness = {
  ...harnessOver("better-sqlite3", import.meta.url),
  openWithFaults: (dataDir, faults) =>
    openSqliteFs({ dataDir, lockWaitMs, driver: "better-sqlite3", fs: withFaults(nodeFileSystem, faults, { throws: true }) }),
};
