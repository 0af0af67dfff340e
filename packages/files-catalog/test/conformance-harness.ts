import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { JOURNAL, nodeFileSystem } from "@workrail/blob-files";
import { type StorageHarness, withFaults } from "@workrail/storage-conformance/harness";
import { openFilesStorage } from "../src/open-files-storage.ts";

/** Long enough for a busy machine to clean up after a killed child. */
const lockWaitMs = 10_000;

export const harness: StorageHarness = {
  name: "files-catalog",
  module: import.meta.url,
  capabilities: { persistent: true, manyOpeners: false, seesBlobs: true },
  create: () => mkdtemp(path.join(tmpdir(), "workrail-files-catalog-")),
  open: (dataDir) => openFilesStorage({ dataDir, lockWaitMs }),
  openWithFaults: (dataDir, faults) => openFilesStorage({ dataDir, lockWaitMs, fs: withFaults(nodeFileSystem, faults, { throws: true }) }),
  destroy: (dataDir) => rm(dataDir, { recursive: true, force: true, maxRetries: 3 }),
  async loseCatalog(dataDir) {
    for (const name of await readdir(dataDir)) if (name.startsWith(JOURNAL)) await rm(path.join(dataDir, name));
  },
};
