import path from "node:path";
import {
  DATABASE,
  elapsedMs,
  eraseReplacedCatalogs,
  FileBlobStore,
  FileKeyFiles,
  FileRemains,
  type FileSystem,
  finishRestore,
  givingUpReserve,
  isBeingRestored,
  nodeFileSystem,
  prepareDataDirectory,
  ReserveFile,
  SEARCH_DATABASE,
  SessionFactsFiles,
  STORE_LOCK,
  StoreClaim,
  tidyLeftovers,
  VECTORS,
} from "@workrail/blob-files";
import { isWorkrailError, type Log, runAll, runFinally, type Storage } from "@workrail/core";
import { loadSqliteDriver, type SqliteDriverChoice } from "./load-sqlite-driver.ts";
import type { Migration } from "./migrations.ts";
import { silentLog } from "./silent-log.ts";
import { SqliteSearch } from "./search/sqlite-search.ts";
import { SqliteCatalog } from "./sqlite-catalog.ts";
import type { JournalMode } from "./sqlite-connection.ts";
import { SqliteVectors } from "./sqlite-vectors.ts";
import type { OpenDatabase, SqliteDriver } from "./sqlite-driver.ts";
import { storageError } from "./storage-errors.ts";
import { StoreLock, type StoreLockOptions } from "./store-lock.ts";
import { unsuitableFileSystem } from "./unsuitable-file-system.ts";

export interface SqliteFsOptions {
  /** Data directory. Created when missing, accessible to its owner only. */
  readonly dataDir: string;
  /** Longest wait for a lock that another process holds. Default 5,000 ms. */
  readonly lockWaitMs?: number;
  /** File system. Default: the real one. */
  readonly fs?: FileSystem;
  /** Library that runs SQLite. Default `auto`: better-sqlite3, else the SQLite that is built into Node. */
  readonly driver?: SqliteDriverChoice;
  /** Default: silent. */
  readonly log?: Log;
}

/** Wait for the exclusive lock before checking again whether the restore still has to be finished. */
const LOOK_AGAIN_MS = 100;

/**
 * Opens storage in a directory of a local disk: the catalog in SQLite, blobs as files. Any number of processes may
 * open it.
 *
 * @throws STORAGE_UNAVAILABLE, STORE_IN_USE, UNSUPPORTED_VERSION
 */
export async function openSqliteFs(options: SqliteFsOptions): Promise<Storage> {
  return openWithDriver(options, loadSqliteDriver(options.driver));
}

/** Parts that a test may replace. */
export interface CatalogParts {
  /** Opens the catalog's database, so that a test can let SQLite fail. Default: the driver's function. */
  readonly openDatabase?: OpenDatabase;
  readonly migrations?: readonly Migration[];
  /** Returns the name of a directory's file system when the file system is unsuitable for WAL. */
  readonly unsuitable?: (directory: string) => string | undefined;
}

/** True when SQLite's log or journal exists. SQLite removes them when the last connection closes. */
function hasLog(dataDir: string, fs: FileSystem): boolean {
  return ["-wal", "-journal"].some((suffix) => fs.inspect(path.join(dataDir, DATABASE + suffix)) !== undefined);
}

/** Bytes of a database with its log; 0 when there is none. */
function bytesOf(fs: FileSystem, file: string): number {
  return ["", "-wal"].reduce((bytes, suffix) => bytes + (fs.inspect(file + suffix)?.sizeBytes ?? 0), 0);
}

function placeWarnings(unsuitable: string | undefined, journal: JournalMode): readonly string[] {
  if (journal === "WAL") return [];
  const what =
    unsuitable === undefined
      ? "a file system on which processes cannot share memory"
      : `a file system (${unsuitable}) whose locks may fail`;
  return [`The data directory is on ${what}. Saves are slower there, and only one machine may use it. Use a directory on a local disk.`];
}

/** `openSqliteFs` with a loaded driver. */
export async function openWithDriver(options: SqliteFsOptions, driver: SqliteDriver, parts: CatalogParts = {}): Promise<Storage> {
  const { fs = nodeFileSystem, log = silentLog, lockWaitMs = 5_000 } = options;
  try {
    const dataDir = prepareDataDirectory(options.dataDir, log);
    const place = { dataDir, fs, log, lockWaitMs };
    return await givingUpReserve(place, () => openClaimed(place, driver, parts));
  } catch (error) {
    throw storageError(error, options.dataDir);
  }
}

type Place = Required<Omit<SqliteFsOptions, "driver">>;

/** Opens a store after claiming it for SQLite. Fails while the store is used without SQLite. */
async function openClaimed(place: Place, driver: SqliteDriver, parts: CatalogParts): Promise<Storage> {
  const claim = { ...place, kind: "sqlite", excludes: ["files"], waitMs: place.lockWaitMs } as const;
  try {
    return await StoreClaim.holding(claim, () => openShared(place, driver, parts));
  } catch (error) {
    throw storageError(error, place.dataDir);
  }
}

/** Opens a store that other processes may have open with SQLite too. */
async function openShared({ dataDir, fs, log, lockWaitMs }: Place, driver: SqliteDriver, parts: CatalogParts): Promise<Storage> {
  const unsuitable = (parts.unsuitable ?? unsuitableFileSystem)(dataDir);
  const journal = unsuitable === undefined ? "WAL" : "DELETE";
  const blobs = new FileBlobStore(dataDir, fs);
  let catalog: SqliteCatalog | undefined;
  const lock = { file: path.join(dataDir, STORE_LOCK), fs, log, waitMs: lockWaitMs, openDatabase: driver.open };
  await finishRestoreAlone(lock, dataDir);
  const locking = await StoreLock.acquire({ ...lock, onRegained: () => catalog?.reopenIfReplaced() });
  try {
    await tidyLeftovers({ fs, dataDir, log });
    const isLeftOver = hasLog(dataDir, fs) && (await locking.isAlone());
    blobs.prepare();
    const factsFiles = new SessionFactsFiles(dataDir, fs, (directory) => blobs.ensureDirectory(directory));
    catalog = await SqliteCatalog.open({
      openDatabase: driver.open,
      ...parts,
      driver: driver.name,
      log,
      isLeftOver,
      journal,
      dataDir,
      fs,
      blobs,
      factsFiles,
      lockWaitMs,
    });
  } catch (error) {
    locking.close();
    throw error;
  }
  const opened = catalog;
  const derived = { fs, openDatabase: driver.open, journal: opened.journal, lockWaitMs, log };
  const search = new SqliteSearch({ ...derived, file: path.join(dataDir, SEARCH_DATABASE) });
  const vectors = new SqliteVectors({ ...derived, file: path.join(dataDir, VECTORS) });
  const close = async (): Promise<void> => {
    try {
      await runAll([() => search.close(), () => vectors.close(), () => opened.close(), () => locking.close()]);
    } catch (error) {
      throw storageError(error, dataDir);
    }
  };
  const warnings = placeWarnings(unsuitable, opened.journal);
  for (const warning of warnings) log.warn(warning, { path: dataDir });
  log.info("opened the store", { dataDir, mode: driver.name });
  const databases = { "the catalog": opened, "the search index": search, "the vectors": vectors };
  const keyFiles = new FileKeyFiles(dataDir, fs, (directory) => blobs.ensureDirectory(directory));
  return {
    durability: "disk",
    mode: driver.name,
    warnings,
    catalog: opened,
    recovery: opened,
    blobs,
    keyFiles,
    remains: new FileRemains(dataDir, fs),
    locking,
    // On a full disk, the write-ahead log takes room too.
    reserve: new ReserveFile(dataDir, fs, () => opened.emptyLog()),
    search,
    vectors,
    derivedBytes: () => ({
      search: bytesOf(fs, path.join(dataDir, SEARCH_DATABASE)),
      vectors: bytesOf(fs, path.join(dataDir, VECTORS)),
    }),
    purge: () => purge(databases, dataDir, fs),
    close,
  };
}

/** Purges databases by name. Resolves with a sentence for each database that readers kept from being purged. */
async function purge(
  databases: Readonly<Record<string, { purge(): Promise<boolean> }>>,
  dataDir: string,
  fs: FileSystem,
): Promise<readonly string[]> {
  const left: string[] = [];
  try {
    await eraseReplacedCatalogs(fs, dataDir);
    for (const [name, database] of Object.entries(databases)) {
      if (!(await database.purge())) left.push(`The log of ${name} is being read by another process.`);
    }
  } catch (error) {
    throw storageError(error, dataDir);
  }
  return left;
}

/**
 * Finishes an unfinished restore under the exclusive lock. When several processes find it, one finishes it and keeps the store open;
 * the others then no longer need the exclusive lock.
 */
async function finishRestoreAlone(options: Omit<StoreLockOptions, "onRegained">, dataDir: string): Promise<void> {
  const { fs, waitMs } = options;
  const deadline = elapsedMs() + waitMs;
  while (isBeingRestored(fs, dataDir)) {
    try {
      const lock = await StoreLock.acquire({ ...options, waitMs: Math.min(waitMs, LOOK_AGAIN_MS), onRegained: ignore });
      await runFinally(
        () => lock.exclusively(() => finishRestore(fs, dataDir)),
        () => lock.close(),
      );
    } catch (error) {
      if (!isWorkrailError(error) || error.code !== "STORE_IN_USE" || elapsedMs() > deadline) throw error;
    }
  }
}

function ignore(): void {}
