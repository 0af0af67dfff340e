import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Storage } from "@workrail/core";
import { sealStorage } from "@workrail/wrappers";
import { createKeyring, keyFromEnvironment, openKeyring, readKeyring, StoreSealer } from "@workrail/keychain-crypto";
import { type FileSystem, nodeFileSystem } from "@workrail/sqlite-fs";
import { type StorageHarness, withFaults } from "@workrail/storage-conformance/harness";

interface Unsealed {
  readonly name: string;
  /** Module that exports the harness. */
  readonly module: string;
  readonly manyOpeners: boolean;
  /** Prefix of the catalog's file names. */
  readonly catalog: string;
  readonly open: (dataDir: string, fs: FileSystem) => Promise<Storage>;
}

/** Key shared by all processes that open the store. */
const SOURCE = keyFromEnvironment("5".repeat(64));

/** Returns a harness over another adapter's storage in a directory, sealed. */
export function sealedHarnessOver({ name, module, manyOpeners, catalog, open }: Unsealed): StorageHarness {
  return sealedOver({
    name,
    module,
    capabilities: { persistent: true, manyOpeners, seesBlobs: true },
    create: () => mkdtemp(path.join(tmpdir(), "workrail-sealed-")),
    open: (dataDir) => open(dataDir, nodeFileSystem),
    openWithFaults: (dataDir, faults) => open(dataDir, withFaults(nodeFileSystem, faults, { throws: true })),
    destroy: (dataDir) => rm(dataDir, { recursive: true, force: true, maxRetries: 3 }),
    async loseCatalog(dataDir) {
      for (const file of await readdir(dataDir)) if (file.startsWith(catalog)) await rm(path.join(dataDir, file));
    },
  });
}

/** Returns another harness over sealed storage. Its `module`, if any, must export the result. */
export function sealedOver(harness: StorageHarness): StorageHarness {
  const openWithFaults = harness.openWithFaults?.bind(harness);
  return {
    ...harness,
    name: `${harness.name}, sealed`,
    async create() {
      const place = await harness.create();
      const storage = await harness.open(place);
      if (storage.keyFiles !== undefined) await createKeyring(storage.keyFiles, SOURCE, "sealed");
      await storage.close();
      return place;
    },
    open: async (place) => sealed(await harness.open(place)),
    ...(openWithFaults === undefined ? {} : { openWithFaults: async (place, faults) => sealed(await openWithFaults(place, faults)) }),
  };
}

async function sealed(storage: Storage): Promise<Storage> {
  try {
    const { keyFiles } = storage;
    const keyring = keyFiles === undefined ? undefined : await readKeyring(keyFiles);
    if (keyFiles === undefined || keyring === undefined) throw new Error("The store has no keyring.");
    return sealStorage(storage, new StoreSealer((await openKeyring(keyring, SOURCE)).dataKey, keyFiles));
  } catch (error) {
    await storage.close();
    throw error;
  }
}
