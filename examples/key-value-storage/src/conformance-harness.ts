import fs from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { kvStorage } from "@workrail/kv-storage";
import { type StorageHarness, withFaults } from "@workrail/storage-conformance/harness";
import { fileKeyValues } from "./file-key-values.ts";

/** Short, because a test waits for the lease of each process that it kills. */
const leaseMs = 1_500;

export const harness: StorageHarness = {
  name: "four functions over files",
  module: import.meta.url,
  capabilities: { persistent: true, manyOpeners: true, seesBlobs: true },
  create: () => fs.mkdtemp(path.join(tmpdir(), "key-value-storage-")),
  open: (place) => kvStorage(fileKeyValues(place), { leaseMs }),
  openWithFaults: (place, faults) => kvStorage(fileKeyValues(place, withFaults(fs, faults)), { leaseMs }),
  destroy: (place) => fs.rm(place, { recursive: true }),
};
