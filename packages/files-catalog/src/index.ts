export { openFilesStorage } from "./open-files-storage.ts";
export type { FilesStorageOptions } from "./open-files-storage.ts";
