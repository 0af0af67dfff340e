import {
  eraseReplacedCatalogs,
  FileBlobStore,
  FileKeyFiles,
  FileRemains,
  fileError,
  type FileSystem,
  finishRestore,
  givingUpReserve,
  nodeFileSystem,
  prepareDataDirectory,
  ReserveFile,
  SessionFactsFiles,
  StoreClaim,
  tidyLeftovers,
} from "@workrail/blob-files";
import { type Log, ProcessLocking, type Reserve, type Storage } from "@workrail/core";
import { FilesCatalog } from "./files-catalog.ts";

export interface FilesStorageOptions {
  /** Created, owner-only, if it is missing. */
  readonly dataDir: string;
  /** Longest time to wait for another process that has the store open. Default 5,000 ms. */
  readonly lockWaitMs?: number;
  /** Default: the real file system. */
  readonly fs?: FileSystem;
  /** Default: silent. */
  readonly log?: Log;
}

/**
 * Opens storage in a directory of a local disk, without SQLite: blobs as files, the catalog in memory with a journal. Only one process at a
 * time may have it open.
 *
 * @throws STORAGE_UNAVAILABLE, STORE_IN_USE, UNSUPPORTED_VERSION
 */
export async function openFilesStorage(options: FilesStorageOptions): Promise<Storage> {
  const { fs = nodeFileSystem, log = silent, lockWaitMs = 5_000 } = options;
  try {
    const dataDir = prepareDataDirectory(options.dataDir, log);
    const place = { dataDir, fs, log, lockWaitMs };
    return await givingUpReserve(place, () => openClaimed(place));
  } catch (error) {
    throw fileError(error, options.dataDir);
  }
}

/** Opens the storage with a claim that excludes other processes. */
async function openClaimed(place: Required<FilesStorageOptions>): Promise<Storage> {
  const claim = { ...place, kind: "files", excludes: ["files", "sqlite"], waitMs: place.lockWaitMs } as const;
  try {
    return await StoreClaim.holding(claim, () => openAlone(place));
  } catch (error) {
    throw fileError(error, place.dataDir);
  }
}

async function openAlone({ dataDir, fs, log }: Required<FilesStorageOptions>): Promise<Storage> {
  await finishRestore(fs, dataDir);
  await tidyLeftovers({ fs, dataDir, log });
  const { blobs, rows } = await openCatalog(dataDir, fs);
  log.info("opened the store", { dataDir, mode: MODE });
  return {
    durability: "disk",
    mode: MODE,
    warnings: [ONE_AT_A_TIME],
    catalog: rows,
    recovery: rows,
    blobs,
    keyFiles: new FileKeyFiles(dataDir, fs, (directory) => blobs.ensureDirectory(directory)),
    remains: new FileRemains(dataDir, fs),
    locking: new ProcessLocking(),
    reserve: reserveOf(new ReserveFile(dataDir, fs)),
    async purge() {
      await eraseReplacedCatalogs(fs, dataDir);
      await rows.purge();
      return [];
    },
    close: () => rows.close(),
  };
}

async function openCatalog(dataDir: string, fs: FileSystem): Promise<{ readonly blobs: FileBlobStore; readonly rows: FilesCatalog }> {
  const blobs = new FileBlobStore(dataDir, fs);
  blobs.prepare();
  const factsFiles = new SessionFactsFiles(dataDir, fs, (directory) => blobs.ensureDirectory(directory));
  return { blobs, rows: await FilesCatalog.open({ dataDir, fs, blobs, factsFiles }) };
}

function reserveOf(file: ReserveFile): Reserve {
  return { keep: () => file.keep(), release: async () => file.release(), freeBytes: () => file.freeBytes() };
}

/** Mode in the status of a store used without SQLite. */
const MODE = "files";
const ONE_AT_A_TIME = "The catalog is kept without SQLite: one process at a time can use the store.";

const silent: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore };

function ignore(): void {}
