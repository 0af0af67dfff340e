export { isMemoryRef, MemoryBlobStore } from "./memory-blob-store.ts";
export { MemoryCatalog } from "./memory-catalog.ts";
export { MemoryDisk } from "./memory-disk.ts";
export { openMemoryStorage } from "./open-memory-storage.ts";
export type { MemoryStorage, MemoryStorageOptions } from "./open-memory-storage.ts";
export { MemoryVectors } from "./memory-vectors.ts";
