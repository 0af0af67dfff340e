import path from "node:path";
import { fileError } from "./file-errors.ts";
import { isAbandoned, overwriteAndRemove } from "./durable-files.ts";
import type { FileSystem } from "./file-system.ts";
import { removeAbandonedDirectories } from "./new-directory.ts";
import { isOwnDirectory } from "./own-directory.ts";
import { BACKUPS, CATALOG_COPY, EXPORTS, fileNameOf, isReplacedStore, quarantineDirectory, SCHEMA_COPY } from "./paths.ts";

/** Overwrites and removes older states of the catalog and abandoned files in a data directory. May be interrupted and repeated. */
export async function eraseReplacedCatalogs(fs: FileSystem, dataDir: string): Promise<void> {
  const now = new Date();
  try {
    await eraseIn(fs, dataDir, (name) => CATALOG_COPY.test(name) || isAbandoned(fs, path.join(dataDir, name), now));
    await eraseIn(fs, path.join(dataDir, BACKUPS), (name) => SCHEMA_COPY.test(name));
    const exports = path.join(dataDir, EXPORTS);
    await eraseIn(fs, exports, (name) => isAbandoned(fs, path.join(exports, name), now));
    removeAbandonedDirectories(fs, dataDir, "restore");
  } catch (error) {
    throw fileError(error, dataDir);
  }
}

/** Returns the stores in a data directory that a restored backup replaced. Each is itself a data directory. */
export function replacedStores(fs: FileSystem, dataDir: string): readonly string[] {
  const names = fs.list(dataDir).filter((name) => isReplacedStore(name));
  return names.map((name) => path.join(dataDir, name)).filter((directory) => fs.inspect(directory)?.kind === "directory");
}

/** Returns the quarantined files of the sessions. */
export function quarantinedOf(fs: FileSystem, dataDir: string, sessions: readonly string[]): readonly string[] {
  const directories = sessions.map((sessionId) => quarantineDirectory(dataDir, fileNameOf(sessionId)));
  const own = directories.filter((directory) => isOwnDirectory(fs, dataDir, directory));
  const files = own.flatMap((directory) => fs.list(directory).map((name) => path.join(directory, name)));
  return files.filter((file) => fs.inspect(file)?.kind === "file");
}

async function eraseIn(fs: FileSystem, directory: string, isToBeErased: (name: string) => boolean): Promise<void> {
  if (fs.inspect(directory)?.kind !== "directory") return;
  let isAnyRemoved = false;
  for (const name of fs.list(directory).filter(isToBeErased)) {
    isAnyRemoved = (await overwriteAndRemove(fs, path.join(directory, name))) || isAnyRemoved;
  }
  if (isAnyRemoved) await fs.syncDirectory(directory);
}
