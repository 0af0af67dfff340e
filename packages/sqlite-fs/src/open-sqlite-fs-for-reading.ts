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
import { ProcessLocking, runAll, type Storage } from "@workrail/core";
import { readOnlyStorageOf } from "@workrail/wrappers";
import { loadSqliteDriver } from "./load-sqlite-driver.ts";
import type { SqliteFsOptions } from "./open-sqlite-fs.ts";
import { silentLog } from "./silent-log.ts";
import { SqliteCatalog } from "./sqlite-catalog.ts";
import { SqliteSearch } from "./search/sqlite-search.ts";
import { SqliteVectors } from "./sqlite-vectors.ts";
import { storageError } from "./storage-errors.ts";

/** Time after a checked copy during which further copies count as sound. Beside a writer, copies follow each other fast. */
const PROVEN_FOR_MS = 60_000;

/**
 * Opens storage for reading only, while other processes may use it. Creates, changes and locks nothing in the data directory, and
 * does not open its databases with SQLite. Reads copies of the databases in a private directory, which closing removes.
 *
 * @throws STORAGE_UNAVAILABLE, with the reason `no-store` when there is no store; LOCK_TIMEOUT; UNSUPPORTED_VERSION
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
      // Mending changes only this copy: the next copy has the damage again.
      if (!isProven && (await catalog.state()) === "sound" && !catalog.isMended) provenAt = elapsedMs();
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
    // Make the first copy now, so that a store that cannot be read fails here.
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
