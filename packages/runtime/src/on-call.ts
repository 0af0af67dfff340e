// Functions of the library that load their code when they are first called, so that importing the library costs little.
import type { ForeignSession } from "@workrail/core";
import type { SqliteDriver, SqliteDriverChoice } from "@workrail/sqlite-fs";
import type { LoggedSetting } from "./config/change-setting.ts";
import type { ConfigurationSources } from "./config/read-configuration.ts";
import type { Adapters } from "./container.ts";
import type { CopyStoreOptions, CopyStoreResult } from "./copy-options.ts";
import type { DoctorReport } from "./doctor/finding.ts";
import type { ExamineOptions } from "./doctor/examine-installation.ts";
import type { ImportTranscriptsOptions, TranscriptOutcome } from "./host-import/import-transcripts.ts";
import type { MigrateStoreOptions, MigrateStoreResult } from "./migrate-options.ts";
import type { OpenOptions } from "./open-options.ts";
import type { RestoreOptions, RestoreResult } from "./restore-options.ts";
import type { Savings, SavingsParams } from "./savings.ts";
import type { NewKey, SealOptions, SealResult } from "./sealing/seal-store.ts";
import type { SyncStoreOptions, SyncStoreResult } from "./sync-options.ts";
import type { Workrail } from "./workrail.ts";
import type { WrittenFile } from "./write-new-file.ts";

const sealing = () => import("./sealing/seal-store.ts");

/**
 * Opens a store. Creates a missing one, unless `create` is false or the store is read-only. Rebuilds a lost catalog from the files first.
 *
 * @throws INVALID_INPUT for invalid options and settings; UNSUPPORTED_VERSION for a store of a newer version; KEY_UNAVAILABLE for a store
 * that is sealed, or is to be, without its key; READ_ONLY for a read-only store that must be changed first. Without the fallback `memory`
 * also STORAGE_UNAVAILABLE, LOCK_TIMEOUT and STORE_IN_USE.
 */
export async function openWorkrail(options: OpenOptions = {}): Promise<Workrail> {
  const opening = await import("./open-workrail.ts");
  return opening.openWorkrail(options);
}

/**
 * Seals all data of a store. The key comes from the settings, else from the keychain, where it is created. An already sealed store is not
 * changed. After an interruption, the next opening of the store finishes it.
 *
 * @returns with the recovery key, which is stored nowhere, for a store that had no keys yet.
 * @throws KEY_UNAVAILABLE, with nothing changed; STORE_IN_USE while another process has the store open.
 */
export async function sealStore(options: SealOptions = {}): Promise<SealResult> {
  return (await sealing()).sealStore(options);
}

/** Decrypts a store and removes its keys. @throws as `sealStore`. */
export async function unsealStore(options: SealOptions = {}): Promise<SealResult> {
  return (await sealing()).unsealStore(options);
}

/**
 * Wraps the store's keys with another key. Fast, because sealed data is not rewritten. The old key and the old recovery key no longer open
 * the keyring.
 *
 * @throws KEY_UNAVAILABLE when the old or the new key is not available; the old key then stays.
 */
export async function rekeyStore(
  to: NewKey,
  options: SealOptions = {},
): Promise<{ readonly dataDir: string; readonly recoveryKey: string | undefined }> {
  return (await sealing()).rekeyStore(to, options);
}

/**
 * Seals the store again with another key and entirely new data keys, so that holders of an old key and a copy of the keyring can open
 * nothing of it. After an interruption, the next opening of the store finishes it with the new key.
 *
 * @throws as `rekeyStore`.
 */
export async function rekeyStoreDeeply(to: NewKey, options: SealOptions = {}): Promise<SealResult> {
  return (await sealing()).rekeyStoreDeeply(to, options);
}

/**
 * Restores a store from a backup, to a new directory, or in place of a store that is kept aside.
 *
 * Every file of the backup, and the key of a sealed one, is checked before anything changes. Atomic: after an interruption the directory
 * holds either the old store or the backup's.
 *
 * @throws READ_ONLY when writing is not allowed; INVALID_INPUT for invalid parameters, a directory that is not a backup, and a non-empty
 * target; CHECKPOINT_CORRUPT for a damaged backup; KEY_UNAVAILABLE for a sealed backup without its key; UNSUPPORTED_VERSION;
 * STORE_IN_USE while another process has the store open; STORAGE_UNAVAILABLE.
 */
export async function restoreBackup(directory: string, options: RestoreOptions = {}): Promise<RestoreResult> {
  const restoring = await import("./restore-backup.ts");
  return restoring.restoreBackup(directory, options);
}

/**
 * Copies a whole store to another place, exactly: checkpoints, trash, pins, tags, the audit log and, of a sealed store, the keys. Every blob
 * and row is read back and compared. No other process may have either store open. A copy that was killed or stopped is continued by the same call.
 *
 * @throws INVALID_INPUT for invalid parameters, a place without a store, and a sealed store that the other place cannot keep sealed; CONFLICT
 * when the target was used in its own right; KEY_UNAVAILABLE; READ_ONLY; STORE_IN_USE; STORAGE_UNAVAILABLE.
 */
export async function copyStore(options: CopyStoreOptions): Promise<CopyStoreResult> {
  const copying = await import("./copy-store.ts");
  return copying.copyStore(options);
}

/**
 * Pushes every checkpoint that another store never had to that store, in order, with its id, time and parent. Both may be in use, and nothing
 * is removed in either. A checkpoint whose session has another head there becomes a fork. Tags and pins of these sessions are added.
 *
 * The target may be a node. The limits, quotas and the handling of secrets are those of the settings, or of the node. A call that was stopped or failed is continued by the same call.
 *
 * @throws as `openWorkrail` for either store; INVALID_INPUT; READ_ONLY; STORAGE_UNAVAILABLE and LOCK_TIMEOUT when the target fails on the way.
 */
export async function syncStore(options: SyncStoreOptions): Promise<SyncStoreResult> {
  const syncing = await import("./sync-store.ts");
  return syncing.syncStore(options);
}

/**
 * Makes the tables of a store in a PostgreSQL database, or brings them to this version. Calls at the same time wait for each other.
 *
 * @throws INVALID_INPUT when the settings name no database; UNSUPPORTED_VERSION for tables of a newer version; STORAGE_UNAVAILABLE.
 */
export async function migrateStore(options: MigrateStoreOptions = {}): Promise<MigrateStoreResult> {
  const migrating = await import("./migrate-store.ts");
  return migrating.migrateStore(options);
}

/**
 * Lists the tenants of a PostgreSQL database, each of which was opened at least once.
 *
 * @throws INVALID_INPUT when the settings name no database; UNSUPPORTED_VERSION; STORAGE_UNAVAILABLE.
 */
export async function listTenants(options: MigrateStoreOptions = {}): Promise<readonly string[]> {
  const listing = await import("./list-tenants.ts");
  return listing.listTenants(options);
}

/**
 * Checks everything that Workrail needs to work on this machine, with a hint for each fault.
 *
 * Never fails: a check that throws becomes a finding. Changes only what `fix` allows, nothing in a read-only store, and leaves no files
 * behind.
 */
export async function examineInstallation(options: ExamineOptions = {}): Promise<DoctorReport> {
  const examining = await import("./doctor/examine-installation.ts");
  return examining.examineInstallation(options);
}

/** Sums up the resumes in the hooks' log, and the saves in the store. @throws INVALID_INPUT for an invalid time. */
export async function readSavings(store: Pick<Workrail, "eachCheckpoint">, params: SavingsParams): Promise<Savings> {
  const saving = await import("./savings.ts");
  return saving.readSavings(store, params);
}

/**
 * Imports transcripts of hosts. Each becomes the same sessions that hooks make: the state of the work and the conversation. Saves of hooks and of
 * earlier imports are not repeated, and hooks continue where an import stopped. A transcript that fails is reported, and
 * the others are imported.
 *
 * @throws the error that ends the import, such as READ_ONLY and STORAGE_QUOTA_EXCEEDED. Imported sessions stay, and the same call continues.
 */
export async function* importTranscripts(
  store: Workrail,
  options: ImportTranscriptsOptions,
): AsyncGenerator<TranscriptOutcome, void, undefined> {
  const importing = await import("./host-import/import-transcripts.ts");
  yield* importing.importTranscripts(store, options);
}

/** Yields a session of another program as an export, in pieces, for `importText` of a store. */
export async function* exportForeignSession(session: ForeignSession): AsyncGenerator<string, void, undefined> {
  const exporting = await import("./export-foreign-session.ts");
  yield* exporting.exportForeignSession(session);
}

/**
 * Loads the driver of SQLite that a store would use, with its native code.
 *
 * @throws STORAGE_UNAVAILABLE with the reason `no-sqlite` when no driver can be loaded; its details tell why each one failed.
 */
export async function loadSqliteDriver(choice: SqliteDriverChoice = "auto"): Promise<SqliteDriver> {
  const sqlite = await import("@workrail/sqlite-fs");
  return sqlite.loadSqliteDriver(choice);
}

/**
 * Sets one setting as `setSetting` does, and records the name of the setting in the audit log.
 *
 * The row is written before the change, with the store opened under the old settings. A store that cannot be opened does not prevent the
 * change, so that wrong settings can be corrected.
 *
 * @throws as `setSetting`.
 */
export async function changeSetting(
  sources: ConfigurationSources & { readonly adapters?: Adapters | undefined },
  name: string,
  text: string | undefined,
): Promise<LoggedSetting> {
  const changing = await import("./config/change-setting.ts");
  return changing.changeSetting(sources, name, text);
}

/**
 * Writes a text to a new file that only its owner can read. The file gets its name once all of it is on the disk. Never replaces a file.
 *
 * @throws INVALID_INPUT when there is such a file, or no such folder; STORAGE_UNAVAILABLE when the file cannot be written.
 */
export async function writeNewFile(file: string, text: string): Promise<WrittenFile> {
  const writing = await import("./write-new-file.ts");
  return writing.writeNewFile([file], writing.inOnePiece(text));
}
