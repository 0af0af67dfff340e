import path from "node:path";
import { runFinally, WorkrailError } from "@workrail/core";
import { temporaryName } from "./durable-files.ts";
import { fileError } from "./file-errors.ts";
import { type FileSystem, nodeFileSystem } from "./file-system.ts";
import { NewDirectory, removeAbandonedDirectories } from "./new-directory.ts";
import { removeTree } from "./private-directory.ts";
import { CONTEXTS, DATABASE, JOURNAL, REPLACED, RESTORING, SEARCH_DATABASE } from "./paths.ts";
import type { StoredBackup } from "./stored-backup.ts";

/** In `restoring/`: the future `contexts/` of the store. The replaced files are moved beside it. */
const RESTORED = "restored";

/** Restores a backup to a new data directory. @throws INVALID_INPUT when the directory is not empty. */
export async function restoreToNewPlace(backup: StoredBackup, dataDir: string, fs: FileSystem = nodeFileSystem): Promise<void> {
  const directory = NewDirectory.create(dataDir, "restore", fs);
  try {
    await backup.copyContexts(path.join(directory.path, CONTEXTS));
    await directory.publish();
  } catch (error) {
    directory.discard();
    throw fileError(error, dataDir);
  }
}

/**
 * Replaces a store by a backup. The store must be held exclusively. Nothing happens to the store until the whole backup is copied beside
 * it; one rename then commits the restore, and the next opening completes it.
 */
export async function restoreInPlace(backup: StoredBackup, dataDir: string, fs: FileSystem = nodeFileSystem): Promise<void> {
  try {
    removeAbandonedDirectories(fs, dataDir, "restore");
    const staged = temporaryName(dataDir, "restore");
    try {
      fs.makeDirectory(staged);
      await backup.copyContexts(path.join(staged, RESTORED));
      await fs.syncDirectory(staged);
      fs.rename(staged, path.join(dataDir, RESTORING));
    } catch (error) {
      await runFinally(
        () => Promise.reject(error),
        () => removeTree(staged),
      );
    }
    await fs.syncDirectory(dataDir);
  } catch (error) {
    throw fileError(error, dataDir);
  }
}

/** Tells whether a restore is committed but not completed; the store must not be used until then. */
export function isBeingRestored(fs: FileSystem, dataDir: string): boolean {
  return fs.inspect(path.join(dataDir, RESTORING)) !== undefined;
}

/** @throws STORAGE_UNAVAILABLE with the reason `restore-unfinished`. */
export function refuseUnfinishedRestore(fs: FileSystem, dataDir: string): void {
  if (!isBeingRestored(fs, dataDir)) return;
  throw new WorkrailError("STORAGE_UNAVAILABLE", "A backup is taking the place of the store.", {
    details: { reason: "restore-unfinished", path: dataDir },
    hint: "Open the store again with any command, which finishes the restore.",
  });
}

/**
 * Completes the restore that `restoreInPlace` committed, from any point of interruption: moves the store's own files into `restoring/` and
 * the backup's into their place, and renames `restoring/` to `replaced-<n>`. The store must be held exclusively and its catalog be closed;
 * the catalog is lost afterwards and must be rebuilt.
 */
export async function finishRestore(fs: FileSystem, dataDir: string): Promise<void> {
  if (!isBeingRestored(fs, dataDir)) return;
  const restoring = path.join(dataDir, RESTORING);
  try {
    const restored = path.join(restoring, RESTORED);
    if (fs.inspect(restored) !== undefined) {
      for (const name of fs.list(dataDir).filter(isReplaced)) fs.rename(path.join(dataDir, name), path.join(restoring, name));
      fs.rename(restored, path.join(dataDir, CONTEXTS));
    }
    await fs.syncDirectory(restoring);
    await fs.syncDirectory(dataDir);
    fs.rename(restoring, freeName(fs, dataDir));
    await fs.syncDirectory(dataDir);
  } catch (error) {
    throw fileError(error, dataDir);
  }
}

/** Tells whether a name belongs to the replaced store: its checkpoints, and its catalog with all files of it. */
function isReplaced(name: string): boolean {
  return (
    [CONTEXTS, DATABASE, JOURNAL, SEARCH_DATABASE].includes(name) || [DATABASE, SEARCH_DATABASE].some((file) => name.startsWith(`${file}-`))
  );
}

function freeName(fs: FileSystem, dataDir: string): string {
  const taken = new Set(fs.list(dataDir));
  let number = 1;
  while (taken.has(`${REPLACED}${number}`)) number += 1;
  return path.join(dataDir, `${REPLACED}${number}`);
}
