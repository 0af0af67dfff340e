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

/** Returns a harness over another adapter's storage, sealed. */
export function sealedHarnessOver({ name, module, manyOpeners, catalog, open }: Unsealed): StorageHarness {
  return {
    name: `${name}, sealed`,
    module,
    capabilities: { persistent: true, manyOpeners, seesBlobs: true },
    async create() {
      const dataDir = await mkdtemp(path.join(tmpdir(), "workrail-sealed-"));
      const storage = await open(dataDir, nodeFileSystem);
      if (storage.keyFiles !== undefined) await createKeyring(storage.keyFiles, SOURCE, "sealed");
      await storage.close();
      return dataDir;
    },
    open: async (dataDir) => sealed(await open(dataDir, nodeFileSystem)),
    openWithFaults: async (dataDir, faults) => sealed(await open(dataDir, withFaults(nodeFileSystem, faults, { throws: true }))),
    destroy: (dataDir) => rm(dataDir, { recursive: true, force: true, maxRetries: 3 }),
    async loseCatalog(dataDir) {
      for (const file of await readdir(dataDir)) if (file.startsWith(catalog)) await rm(path.join(dataDir, file));
    },
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
