import fs from "node:fs";
import path from "node:path";
import type { Log } from "@workrail/core";
import { isAbandoned, overwriteAndRemove } from "./durable-files.ts";
import { hasCode } from "./error-codes.ts";
import type { FileSystem } from "./file-system.ts";
import { fileError } from "./file-errors.ts";
import { CATALOG_BEGUN } from "./paths.ts";

const STAGED = ".tmp-restore-";

/**
 * Returns names in a data directory left by a killed restore or rebuild: an unencrypted copy of a backup, or an unfinished catalog. A running
 * restore or rebuild holds the store exclusively, so a shared holder sees only those of dead processes.
 */
export function leftoversIn(files: FileSystem, dataDir: string): readonly string[] {
  return files.list(dataDir).filter((name) => name.startsWith(STAGED) || CATALOG_BEGUN.test(name));
}

/** Overwrites and removes the leftovers. Call it while the store is held shared. @returns their names. */
export async function removeLeftovers(files: FileSystem, dataDir: string): Promise<readonly string[]> {
  const names = leftoversIn(files, dataDir);
  try {
    for (const name of names) await eraseTree(files, path.join(dataDir, name));
    if (names.length > 0) await files.syncDirectory(dataDir);
    return names;
  } catch (error) {
    throw fileError(error, dataDir);
  }
}

/**
 * Removes leftovers at opening. A failure does not prevent opening. Includes leftovers of restores to a new directory, which start beside
 * it.
 */
export async function tidyLeftovers({
  fs: files,
  dataDir,
  log,
}: {
  readonly fs: FileSystem;
  readonly dataDir: string;
  readonly log: Log;
}): Promise<void> {
  try {
    const names = await removeLeftovers(files, dataDir);
    const beside = await removeAbandonedBeside(files, dataDir);
    const removed = [...names, ...beside].join(", ");
    if (removed !== "") log.warn(`removed what a killed restore or rebuild left: ${removed}`, { path: dataDir });
  } catch (error) {
    log.warn("what a killed restore or rebuild left cannot be removed", { path: dataDir, error });
  }
}

async function removeAbandonedBeside(files: FileSystem, dataDir: string): Promise<readonly string[]> {
  const parent = path.dirname(dataDir);
  const now = new Date();
  const staged = namesIn(files, parent).filter((name) => name.startsWith(STAGED));
  const own = staged.filter((name) => isAbandoned(files, path.join(parent, name), now) && isOurs(path.join(parent, name)));
  for (const name of own) await eraseTree(files, path.join(parent, name));
  return own.map((name) => path.join(parent, name));
}

/** Lists a directory, or nothing: a user of a directory may not be allowed to list its parent. */
function namesIn(files: FileSystem, directory: string): readonly string[] {
  try {
    return files.list(directory);
  } catch (error) {
    if (hasCode(error, "EACCES", "EPERM", "ENOENT")) return [];
    throw error;
  }
}

function isOurs(place: string): boolean {
  const found = fs.lstatSync(place, { throwIfNoEntry: false });
  return found?.isDirectory() === true && (process.getuid === undefined || found.uid === process.getuid());
}

/** Removes links in it without following them. */
async function eraseTree(files: FileSystem, place: string): Promise<void> {
  if (files.inspect(place)?.kind === "directory") {
    for (const name of files.list(place)) await eraseTree(files, path.join(place, name));
  } else await overwriteAndRemove(files, place);
  fs.rmSync(place, { recursive: true, force: true });
}
