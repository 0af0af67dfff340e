export { openFilesStorage } from "./open-files-storage.ts";
export { openFilesStorageForReading } from "./open-files-storage-for-reading.ts";
export type { FilesStorageOptions } from "./open-files-storage.ts";
