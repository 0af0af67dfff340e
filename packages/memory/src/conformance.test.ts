import { randomUUID } from "node:crypto";
import { describeStorage, type StorageHarness } from "@workrail/storage-conformance";
import { MemoryDisk } from "./memory-disk.ts";
import { openMemoryStorage } from "./open-memory-storage.ts";
import { IS_LONG } from "../../storage-conformance/test/long-form.ts";

const disks = new Map<string, MemoryDisk>();

const harness: StorageHarness = {
  name: "memory",
  capabilities: { persistent: true, manyOpeners: false, seesBlobs: true },
  async create() {
    const place = randomUUID();
    disks.set(place, new MemoryDisk());
    return place;
  },
  async open(place) {
    const disk = disks.get(place);
    if (disk === undefined) throw new Error(`There is no disk ${place}.`);
    return openMemoryStorage({ disk });
  },
  async destroy(place) {
    disks.delete(place);
  },
  async loseCatalog(place) {
    disks.get(place)?.loseCatalog();
  },
};

describeStorage(harness, IS_LONG ? {} : { runs: 250 });
