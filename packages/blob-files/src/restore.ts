import path from "node:path";
import { runThen, WorkrailError } from "@workrail/core";
import { temporaryName } from "./durable-files.ts";
import { fileError } from "./file-errors.ts";
import { type FileSystem, nodeFileSystem } from "./file-system.ts";
import { NewDirectory, removeAbandonedDirectories } from "./new-directory.ts";
import { removeTree } from "./private-directory.ts";
import { CONTEXTS, DATABASE, JOURNAL, REPLACED, RESTORING, SEARCH_DATABASE } from "./paths.ts";
import type { StoredBackup } from "./stored-backup.ts";

/** In `restoring/`: what becomes the store's `contexts/`. Beside it lies what it takes the place of. */
const RESTORED = "restored";

/** Makes a data directory of a backup where there is none. @throws INVALID_INPUT where there is something. */
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
 * Has a backup take the place of a store, which must be ours alone. Nothing happens to the store until a copy of the
 * whole backup lies beside it; then it is decided by one rename, and whoever opens the store next does what is left.
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
      await runThen(
        () => Promise.reject(error),
        () => removeTree(staged),
      );
    }
    await fs.syncDirectory(dataDir);
  } catch (error) {
    throw fileError(error, dataDir);
  }
}

/** Whether a backup is taking the place of the store, which nobody may use until that is finished. */
export function isBeingRestored(fs: FileSystem, dataDir: string): boolean {
  return fs.inspect(path.join(dataDir, RESTORING)) !== undefined;
}

/** @throws STORAGE_UNAVAILABLE with the reason `restore-unfinished`. */
export function refuseUnfinishedRestore(fs: FileSystem, dataDir: string): void {
  if (!isBeingRestored(fs, dataDir)) return;
  throw new WorkrailError("STORAGE_UNAVAILABLE", "A backup is taking the place of the store.", {
    details: { reason: "restore-unfinished", path: dataDir },
    hint: "Open the store again, with any command: that finishes it.",
  });
}

/**
 * Finishes what `restoreInPlace` decided, from wherever it was interrupted: moves the store's own files into `restoring/`, the
 * backup's into their place, and gives `restoring/` the name `replaced-<n>`. The store must be ours alone, and its catalog not
 * open; it is lost then, to be rebuilt.
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

/** What makes up the store: its checkpoints, and its catalog with all that belongs to that. */
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
