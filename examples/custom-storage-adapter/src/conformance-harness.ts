import fs from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type StorageHarness, withFaults } from "@workrail/storage-conformance/harness";
import { openFolderStorage } from "./open-folder-storage.ts";

export const harness: StorageHarness = {
  name: "folder storage",
  module: import.meta.url,
  capabilities: { persistent: true, manyOpeners: false, seesBlobs: true },
  create: () => fs.mkdtemp(path.join(tmpdir(), "folder-storage-")),
  open: (place) => openFolderStorage(place),
  openWithFaults: (place, faults) => openFolderStorage(place, withFaults(fs, faults)),
  destroy: (place) => fs.rm(place, { recursive: true }),
};
