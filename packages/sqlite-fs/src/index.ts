export { nodeFileSystem } from "./file-system.ts";
export type { FileInspection, FileSystem } from "./file-system.ts";
export { openSqliteFs } from "./open-sqlite-fs.ts";
export type { SqliteFsOptions } from "./open-sqlite-fs.ts";
