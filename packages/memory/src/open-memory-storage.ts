import type { KeyFiles, Storage } from "@workrail/core";
import { MemoryBlobStore } from "./memory-blob-store.ts";
import { MemoryCatalog } from "./memory-catalog.ts";
import { MemoryDisk } from "./memory-disk.ts";
import { MemoryKeyFiles } from "./memory-key-files.ts";
import { MemoryVectors } from "./memory-vectors.ts";

export interface MemoryStorageOptions {
  /** Disk of an earlier storage, to continue with its data. Default: an empty one. */
  readonly disk?: MemoryDisk;
}

export interface MemoryStorage extends Storage {
  readonly catalog: MemoryCatalog;
  readonly keyFiles: KeyFiles;
}

/** Opens a storage that lives as long as its disk is referenced, at most until the process ends. */
export function openMemoryStorage({ disk = new MemoryDisk() }: MemoryStorageOptions = {}): MemoryStorage {
  const catalog = new MemoryCatalog(disk);
  return {
    durability: "memory",
    mode: "memory",
    warnings: [],
    catalog,
    recovery: catalog,
    blobs: new MemoryBlobStore(disk),
    keyFiles: new MemoryKeyFiles(disk),
    locking: disk.locking,
    vectors: new MemoryVectors(),
    close: async () => {},
  };
}
