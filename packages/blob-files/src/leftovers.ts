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
 * Names in a data directory that a killed restore or rebuild left: a copy of a backup in clear, or a catalog that was begun. A live restore
 * or rebuild holds the store alone, so whoever holds it shared sees only those of dead processes.
 */
export function leftoversIn(files: FileSystem, dataDir: string): readonly string[] {
  return files.list(dataDir).filter((name) => name.startsWith(STAGED) || CATALOG_BEGUN.test(name));
}

/** Removes them, overwritten. Call it while the store is held shared. @returns their names. */
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

/** For an opening, which a leftover that cannot be removed does not keep from its work. Also of restores to a new place, which begin beside it. */
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
  const own = staged.filter((name) => isAbandoned(files, parent, name, now) && isOurs(path.join(parent, name)));
  for (const name of own) await eraseTree(files, path.join(parent, name));
  return own.map((name) => path.join(parent, name));
}

/** Whoever may use a directory need not be allowed to list the one above it. */
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

/** Links in it are removed, and not followed. */
async function eraseTree(files: FileSystem, place: string): Promise<void> {
  if (files.inspect(place)?.kind === "directory") {
    for (const name of files.list(place)) await eraseTree(files, path.join(place, name));
  } else await overwriteAndRemove(files, place);
  fs.rmSync(place, { recursive: true, force: true });
}
