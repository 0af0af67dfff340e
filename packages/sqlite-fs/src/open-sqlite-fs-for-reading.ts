import path from "node:path";
import {
  CatalogCopies,
  copyDatabaseNow,
  elapsedMs,
  FileBlobStore,
  FileKeyFiles,
  FileRemains,
  findDataDirectory,
  nodeFileSystem,
  PrivateDirectory,
  SEARCH_DATABASE,
  SessionFactsFiles,
  VECTORS,
} from "@workrail/blob-files";
import { ProcessLocking, readOnlyStorageOf, runAll, type Storage } from "@workrail/core";
import { loadSqliteDriver } from "./load-sqlite-driver.ts";
import type { SqliteFsOptions } from "./open-sqlite-fs.ts";
import { silentLog } from "./silent-log.ts";
import { SqliteCatalog } from "./sqlite-catalog.ts";
import { SqliteSearch } from "./search/sqlite-search.ts";
import { SqliteVectors } from "./sqlite-vectors.ts";
import { storageError } from "./storage-errors.ts";

/** Copies follow each other fast beside a writer. How long after one was read through the next are taken to be sound. */
const PROVEN_FOR_MS = 60_000;

/**
 * Opens storage that is there for reading alone, while anybody may use it: nothing in its directory is made, changed, locked or
 * opened by SQLite. Its databases are read as copies in a directory of this process's own, which closing removes.
 *
 * @throws STORAGE_UNAVAILABLE, with the reason `no-store` where there is none; LOCK_TIMEOUT; UNSUPPORTED_VERSION
 */
export async function openSqliteFsForReading(options: Omit<SqliteFsOptions, "fs">): Promise<Storage> {
  const driver = loadSqliteDriver(options.driver);
  const { log = silentLog, lockWaitMs = 5_000 } = options;
  const dataDir = findDataDirectory(options.dataDir);
  const place = PrivateDirectory.create(dataDir);
  const fs = nodeFileSystem;
  const blobs = new FileBlobStore(dataDir, fs);
  const ensureNone = async (): Promise<void> => {};
  const shared = { fs, log, openDatabase: driver.open, journal: "WAL", lockWaitMs } as const;
  let provenAt = Number.NEGATIVE_INFINITY;
  const copies = new CatalogCopies({
    dataDir,
    place,
    waitMs: lockWaitMs,
    open: async (directory) => {
      const own = new FileBlobStore(directory, fs);
      const isProven = elapsedMs() - provenAt < PROVEN_FOR_MS;
      const catalog = await SqliteCatalog.open({
        ...shared,
        driver: driver.name,
        dataDir: directory,
        isLeftOver: false,
        isForReading: true,
        isProven,
        blobs: { has: (ref) => blobs.has(ref), isEmpty: () => blobs.isEmpty(), ensureDirectory: (made) => own.ensureDirectory(made) },
        factsFiles: new SessionFactsFiles(dataDir, fs, ensureNone),
      });
      // What was mended is this copy, and not what the next one is taken of.
      if (!isProven && !(await catalog.needsRebuild()) && !catalog.isMended) provenAt = elapsedMs();
      return catalog;
    },
  });
  const create = (file: string): number => {
    place.makeAgain();
    return fs.create(file);
  };
  const derived = (name: string) => {
    const file = path.join(place.path, name);
    return { ...shared, fs: { ...fs, create }, file, seed: () => void copyDatabaseNow(path.join(dataDir, name), file) };
  };
  const search = new SqliteSearch(derived(SEARCH_DATABASE));
  const vectors = new SqliteVectors(derived(VECTORS));
  const close = (): Promise<void> => runAll([() => search.close(), () => vectors.close(), () => copies.close()]);
  try {
    // What there is to say against the store is said now.
    await copies.use(async () => {});
  } catch (error) {
    await close();
    throw storageError(error, dataDir);
  }
  log.info("opened the store for reading only", { dataDir, mode: driver.name });
  return readOnlyStorageOf({
    durability: "disk",
    mode: driver.name,
    warnings: [],
    useCatalog: (use) => copies.use((catalog) => use({ catalog, recovery: catalog })),
    rebuildCopy: (fill) => copies.rebuild(fill),
    blobs,
    keyFiles: new FileKeyFiles(dataDir, fs, ensureNone),
    remains: new FileRemains(dataDir, fs),
    locking: new ProcessLocking(),
    search,
    vectors,
    close,
  });
}
