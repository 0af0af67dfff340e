import path from "node:path";
import type { FileSystem } from "./file-system.ts";

/** Whether there is a directory, and no part of the way to it from the data directory is a link, or a file, below which nothing could be looked at. */
export function isOwnDirectory(fs: FileSystem, dataDir: string, directory: string): boolean {
  if (directory === dataDir) return true;
  return isOwnDirectory(fs, dataDir, path.dirname(directory)) && fs.inspect(directory)?.kind === "directory";
}
