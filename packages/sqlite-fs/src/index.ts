export { nodeFileSystem } from "@workrail/blob-files";
export type { FileInspection, FileSystem } from "@workrail/blob-files";
export type { SqliteDriverChoice } from "./load-sqlite-driver.ts";
export { openFiles } from "./open-files.ts";
export type { StoreFiles } from "./open-files.ts";
export { openSqliteFs } from "./open-sqlite-fs.ts";
export type { SqliteFsOptions } from "./open-sqlite-fs.ts";
export type { SqliteDriverName } from "./sqlite-driver.ts";
