import {
  CatalogCopies,
  FileBlobStore,
  FileKeyFiles,
  FileRemains,
  fileError,
  findDataDirectory,
  nodeFileSystem,
  PrivateDirectory,
  SessionFactsFiles,
} from "@workrail/blob-files";
import { ProcessLocking, type Storage } from "@workrail/core";
import { readOnlyStorageOf } from "@workrail/wrappers";
import { FilesCatalog } from "./files-catalog.ts";
import type { FilesStorageOptions } from "./open-files-storage.ts";

/**
 * Opens read-only storage without SQLite, while others may use it: nothing in its directory is created, changed or locked. For a store used
 * with SQLite, builds a catalog outside of the store from the checkpoints' files.
 *
 * @throws STORAGE_UNAVAILABLE, with the reason `no-store` when there is none; UNSUPPORTED_VERSION
 */
export async function openFilesStorageForReading({
  dataDir: given,
  lockWaitMs = 5_000,
  log,
}: Omit<FilesStorageOptions, "fs">): Promise<Storage> {
  const dataDir = findDataDirectory(given);
  const fs = nodeFileSystem;
  const blobs = new FileBlobStore(dataDir, fs);
  const ensureNone = async (): Promise<void> => {};
  const factsFiles = new SessionFactsFiles(dataDir, fs, ensureNone);
  const copies = new CatalogCopies({
    dataDir,
    place: PrivateDirectory.create(dataDir),
    waitMs: lockWaitMs,
    open: (directory) => FilesCatalog.open({ dataDir: directory, fs, blobs, factsFiles }),
  });
  try {
    await copies.use(async () => {});
  } catch (error) {
    await copies.close();
    throw fileError(error, dataDir);
  }
  log?.info("opened the store for reading only", { dataDir, mode: MODE });
  return readOnlyStorageOf({
    durability: "disk",
    mode: MODE,
    warnings: [],
    useCatalog: (use) => copies.use((catalog) => use({ catalog, recovery: catalog })),
    rebuildCopy: (fill) => copies.rebuild(fill),
    blobs,
    keyFiles: new FileKeyFiles(dataDir, fs, ensureNone),
    remains: new FileRemains(dataDir, fs),
    locking: new ProcessLocking(),
    close: () => copies.close(),
  });
}

const MODE = "files";
