export { BackupDirectory } from "./backup-directory.ts";
export type { BackupDirectoryOptions } from "./backup-directory.ts";
export type { BackupFile, BackupManifest } from "./backup-manifest.ts";
export { CatalogCopies } from "./catalog-copies.ts";
export type { CatalogCopiesOptions } from "./catalog-copies.ts";
export { catalogDamaged, catalogLost, isCatalogLoss, storeClosed, unknownOutcome } from "./catalog-errors.ts";
export { copyDatabaseNow } from "./copy-database.ts";
export { ensureOwnFile, findDataDirectory, makeDataDirectory, prepareDataDirectory, remakeDataDirectory } from "./data-directory.ts";
export { asSpelled, directoriesUp } from "./directories-up.ts";
export { removeIfPresent, temporaryName, writeAll, writeDurably } from "./durable-files.ts";
export type { WriteMode } from "./durable-files.ts";
export { calledBackFiles } from "./called-back.ts";
export { FileBlobStore } from "./file-blob-store.ts";
export { FileKeyFiles, hasKeyring } from "./file-key-files.ts";
export { FileRemains } from "./file-remains.ts";
export { fileError, storageUnavailable } from "./file-errors.ts";
export type { StorageFailure } from "./file-errors.ts";
export { hasCode, isWithoutDirectorySync, isWithoutLinks } from "./error-codes.ts";
export { givingUpReserve } from "./give-up-reserve.ts";
export { elapsedMs, nodeFileSystem, signatureFrom, signatureOf } from "./file-system.ts";
export type { FileInspection, FileSystem } from "./file-system.ts";
export { removeLeftovers, tidyLeftovers } from "./leftovers.ts";
export { makeDirectories } from "./make-directories.ts";
export { randomUuid } from "./random-bytes.ts";
export { isFree } from "./new-directory.ts";
export {
  BACKUPS,
  blobRefOf,
  CONTEXTS,
  DATABASE,
  directoryNameOf,
  fileNameOf,
  HOOKS,
  INCOMING,
  isReplacedStore,
  JOURNAL,
  REDACTION_KEY,
  SEARCH_DATABASE,
  SETUP,
  STORE_LOCK,
  VECTORS,
} from "./paths.ts";
export { eraseReplacedCatalogs, quarantinedOf, replacedStores } from "./replaced-catalogs.ts";
export { homeDirectory } from "./home-directory.ts";
export { PrivateDirectory } from "./private-directory.ts";
export { makePrivateDirectory, temporaryPlace, userCacheDirectory } from "./private-place.ts";
export { isWithin, readGivenFile, readGivenFileNow } from "./read-given-file.ts";
export type { FileRefusal, GivenFile, GivenFileLimits } from "./read-given-file.ts";
export { realPathOf } from "./real-path.ts";
export { ReserveFile } from "./reserve-file.ts";
export { finishRestore, isBeingRestored, refuseUnfinishedRestore, restoreInPlace, restoreToNewPlace } from "./restore.ts";
export { StoredBackup } from "./stored-backup.ts";
export type { StoredBackupProgress } from "./stored-backup.ts";
export { SessionFactsFiles } from "./session-facts-files.ts";
export { setAside } from "./set-aside.ts";
export { StoreClaim } from "./store-claim.ts";
export type { CatalogKind, StoreClaimOptions } from "./store-claim.ts";
