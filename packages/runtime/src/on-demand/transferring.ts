// Backup and transfer of a store, loaded on demand.
export { backupStore, exportAudit } from "@workrail/transfer";
export { readTextFile } from "../read-text-file.ts";
export { inFile, isFolder, makeFolder, namesIn, placeMissing, stemOf, stemOfSession, Transfer, until } from "../transfer.ts";
