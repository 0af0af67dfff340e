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
import { isWorkrailError, type Log, type Reserve, runAll, runThen, type Storage } from "@workrail/core";
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
  /** Created, owner-only, when it is not there. */
  readonly dataDir: string;
  /** How long to wait for a lock that another process holds. Default 5,000 ms. */
  readonly lockWaitMs?: number;
  /** Default: the real one. */
  readonly fs?: FileSystem;
  /** Which library runs SQLite. Default `auto`: better-sqlite3, else the one that is built into Node. */
  readonly driver?: SqliteDriverChoice;
  /** Default: silent. */
  readonly log?: Log;
}

/** How long one waits for a store alone that may not be needed alone any more. */
const LOOK_AGAIN_MS = 100;

/**
 * Opens storage in a directory of a local disk: the catalog in SQLite, blobs as files. Any number of processes may
 * have it open.
 *
 * @throws STORAGE_UNAVAILABLE, STORE_IN_USE, UNSUPPORTED_VERSION
 */
export async function openSqliteFs(options: SqliteFsOptions): Promise<Storage> {
  return openWithDriver(options, loadSqliteDriver(options.driver));
}

/** What a test may put in the place of ours. */
export interface CatalogParts {
  /** Opens the catalog, so that SQLite can fail there. Default: as the driver does. */
  readonly openDatabase?: OpenDatabase;
  readonly migrations?: readonly Migration[];
  /** The name of a directory's file system, if it is not made for this. */
  readonly unsuitable?: (directory: string) => string | undefined;
}

/** What SQLite keeps beside a database while it is in use, and removes when the last one closes it. */
function hasLog(dataDir: string, fs: FileSystem): boolean {
  return ["-wal", "-journal"].some((suffix) => fs.inspect(path.join(dataDir, DATABASE + suffix)) !== undefined);
}

/** Of a database with its log; 0 when there is none. */
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

/** The same with a driver that is loaded. */
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

/** Opens what is not used without SQLite. */
async function openClaimed(place: Place, driver: SqliteDriver, parts: CatalogParts): Promise<Storage> {
  const claim = { ...place, kind: "sqlite", excludes: ["files"], waitMs: place.lockWaitMs } as const;
  try {
    return await StoreClaim.holding(claim, () => openShared(place, driver, parts));
  } catch (error) {
    throw storageError(error, place.dataDir);
  }
}

/** Opens what others may have open with SQLite too. */
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
  const reserve = reserveOf(new ReserveFile(dataDir, fs), opened);
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
    reserve,
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

/** Purges databases, by what they are called; resolves with a sentence about each that others keep from it. */
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

/** On a full disk the write-ahead log is room too, once its pages are in the database. */
function reserveOf(file: ReserveFile, catalog: SqliteCatalog): Reserve {
  const release = async (): Promise<number> => {
    const bytes = file.release();
    await catalog.emptyLog();
    return bytes;
  };
  return { keep: () => file.keep(), release, freeBytes: () => file.freeBytes() };
}

/** Of many that find a restore unfinished one finishes it; then it keeps the store open, and the others need not have it alone. */
async function finishRestoreAlone(options: Omit<StoreLockOptions, "onRegained">, dataDir: string): Promise<void> {
  const { fs, waitMs } = options;
  const deadline = elapsedMs() + waitMs;
  while (isBeingRestored(fs, dataDir)) {
    try {
      const lock = await StoreLock.acquire({ ...options, waitMs: Math.min(waitMs, LOOK_AGAIN_MS), onRegained: ignore });
      await runThen(
        () => lock.exclusively(() => finishRestore(fs, dataDir)),
        () => lock.close(),
      );
    } catch (error) {
      if (!isWorkrailError(error) || error.code !== "STORE_IN_USE" || elapsedMs() > deadline) throw error;
    }
  }
}

function ignore(): void {}
