import { randomBytes, randomUUID } from "node:crypto";
import { sealStorage } from "@workrail/wrappers";
import { MemoryDisk, openMemoryStorage } from "@workrail/memory";
import { describeStorage, type StorageHarness } from "@workrail/storage-conformance";
import { createKeyring, type Keyring, keyFromEnvironment, openKeyring, readKeyring, StoreSealer } from "../src/index.ts";
import { IS_LONG } from "../../storage-conformance/test/long-form.ts";

const disks = new Map<string, MemoryDisk>();
const source = keyFromEnvironment(randomBytes(32).toString("hex"));

const harness: StorageHarness = {
  name: "memory, sealed",
  capabilities: { persistent: true, manyOpeners: false, seesBlobs: true },
  async create() {
    const place = randomUUID();
    const disk = new MemoryDisk();
    await createKeyring(openMemoryStorage({ disk }).keyFiles, source, "sealed");
    disks.set(place, disk);
    return place;
  },
  async open(place) {
    const disk = disks.get(place);
    if (disk === undefined) throw new Error(`There is no disk ${place}.`);
    const storage = openMemoryStorage({ disk });
    const { dataKey } = await openKeyring((await readKeyring(storage.keyFiles)) as Keyring, source);
    return sealStorage(storage, new StoreSealer(dataKey, storage.keyFiles));
  },
  async destroy(place) {
    disks.delete(place);
  },
  async loseCatalog(place) {
    disks.get(place)?.loseCatalog();
  },
};

// Fewer runs: what a sealed record holds varies little, and storage in memory itself runs in full.
describeStorage(harness, IS_LONG ? { runs: 200 } : { runs: 60, operations: 150 });
