import path from "node:path";
import { isFree, isReplacedStore, nodeFileSystem, restoreInPlace, restoreToNewPlace, StoredBackup } from "@workrail/blob-files";
import { isWorkrailError, type Log, readOnly, recoverCatalog, runFinally, WorkrailError, sumUsage } from "@workrail/core";
import { checkParams, checkPlace } from "./check-params.ts";
import { type Adapters, checkAdapters, openDefaultStorage, wire } from "./container.ts";
import { silentLog } from "./environment.ts";
import type { SealingSettings } from "./sealing/sealing-settings.ts";
import { tryKey, tryToMakeKey } from "./sealing/try-key.ts";
import { removeNotes } from "./hooks/forget-sessions.ts";
import type { RestoreOptions, RestoreResult } from "./restore-options.ts";
import { readSettings, type Settings } from "./settings.ts";

/** Restores a backup, as `restoreBackup` of the library describes. */
export async function restoreBackup(directory: string, options: RestoreOptions = {}): Promise<RestoreResult> {
  checkPlace(directory, "directory");
  checkParams(options, "restoreBackup", "options");
  const { adapters = {}, replace, onProgress } = options;
  checkAdapters(adapters);
  if ("storage" in adapters && adapters.storage !== undefined) throw storageElsewhere();
  const settings = readSettings(options.env ?? process.env, options, adapters.log);
  if (settings.readOnly) throw readOnly();
  if (settings.store !== undefined) throw notADirectory();
  const backup = await StoredBackup.open(path.resolve(directory), nodeFileSystem, onProgress);
  const isNew = isFree(settings.dataDir);
  if (!isNew && replace !== true) throw taken(settings.dataDir);
  await backup.check();
  await checkKey(backup, settings.sealing);
  const before = replacedStores(settings.dataDir);
  if (isNew) await restoreToNewPlace(backup, settings.dataDir);
  else await takePlace(backup, settings, adapters.log ?? silentLog);
  // The hooks' notes may name checkpoints that are missing now. Without notes the hooks read the transcripts again.
  removeNotes(settings.dataDir);
  const restored = await openRestored(settings, adapters, onProgress).catch((error: unknown) => {
    throw unopened(settings.dataDir, error);
  });
  const kept = replacedStores(settings.dataDir).find((name) => !before.includes(name));
  return {
    dataDir: settings.dataDir,
    createdAt: backup.manifest.createdAt,
    ...restored,
    keptAside: kept === undefined ? undefined : path.join(settings.dataDir, kept),
  };
}

/** Fails, before anything has moved, for each reason that would prevent opening the restored store. */
async function checkKey({ directory }: StoredBackup, wish: SealingSettings): Promise<void> {
  try {
    const isSealed = await tryKey(directory, wish);
    if (isSealed && wish.encryption === "disabled") throw stillSealed(directory);
    if (!isSealed && wish.encryption === "enabled") await tryToMakeKey(wish, "restore");
  } catch (error) {
    if (!isWorkrailError(error) || error.code !== "KEY_UNAVAILABLE") throw error;
    throw withoutKey(directory, error);
  }
}

/** Moves the replaced store unchanged, without its key, which may be lost. */
async function takePlace(backup: StoredBackup, settings: Settings, log: Log): Promise<void> {
  const storage = await openDefaultStorage(settings, log);
  await runFinally(
    () => storage.locking.exclusively(() => restoreInPlace(backup, settings.dataDir)),
    () => storage.close(),
  );
}

/** Opens the store, which completes the restore, and builds the catalog. */
async function openRestored(
  settings: Settings,
  adapters: Adapters,
  onProgress: RestoreOptions["onProgress"],
): Promise<Pick<RestoreResult, "checkpoints" | "trashed" | "sessions" | "unreadable">> {
  const parts = await wire(settings, adapters);
  const recover = async (): Promise<Pick<RestoreResult, "checkpoints" | "trashed" | "sessions" | "unreadable">> => {
    const report = await recoverCatalog({ ...parts, limits: settings.limits }, { onProgress });
    const { checkpoints, trashed, sessions } = await sumUsage(parts.catalog);
    return { checkpoints, trashed, sessions, unreadable: report?.unreadable ?? [] };
  };
  return runFinally(recover, () => parts.storage.close());
}

/** Adds to an error that the files are restored: the same command would refuse the directory, which is not empty any more. */
function unopened(dataDir: string, error: unknown): unknown {
  if (!isWorkrailError(error) || !error.retryable) return error;
  const { code, message, details } = error;
  const first = error.hint === undefined ? "" : `${error.hint.replace(", then try again.", ".")} `;
  const hint = `${first}The files are in ${dataDir}: any command on that store finishes the restore.`;
  return new WorkrailError(code, message, { details, hint, cause: error });
}

function replacedStores(dataDir: string): readonly string[] {
  return nodeFileSystem.list(dataDir).filter(isReplacedStore);
}

/** Refused: the restored data would not be in that storage. */
function storageElsewhere(): WorkrailError {
  return new WorkrailError("INVALID_INPUT", "A backup can be restored only to a data directory, not to custom storage.", {
    details: { field: "adapters.storage" },
    hint: "Restore it to a data directory, export the sessions there, and import them into your storage.",
  });
}

function notADirectory(): WorkrailError {
  return new WorkrailError("INVALID_INPUT", "A backup can be restored only to a data directory, not to a database.", {
    details: { field: "store" },
    hint: "Name a directory with --data-dir. A database is restored with the tools of PostgreSQL.",
  });
}

function taken(dataDir: string): WorkrailError {
  return new WorkrailError("INVALID_INPUT", `${dataDir} is not empty.`, {
    details: { path: dataDir },
    hint: "Name another --data-dir, or give --yes: the backup then replaces the content, and the old content is kept aside.",
  });
}

function withoutKey(directory: string, cause: WorkrailError): WorkrailError {
  const { details, message } = cause;
  return new WorkrailError("KEY_UNAVAILABLE", `Nothing was restored: the backup's key is not available:  ${message}`, {
    details: { ...details, path: directory },
    hint: cause.hint ?? "Use the key that the store had when the backup was made.",
    cause,
  });
}

function stillSealed(directory: string): WorkrailError {
  return new WorkrailError("INVALID_INPUT", "The backup is sealed, and encryption is set to disabled.", {
    details: { path: directory, field: "WORKRAIL_ENCRYPTION" },
    hint: "Unset WORKRAIL_ENCRYPTION to restore it, then run `workrail encrypt --off` to decrypt it.",
  });
}
