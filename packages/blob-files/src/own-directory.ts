import path from "node:path";
import type { FileSystem } from "./file-system.ts";

/** Tells whether a directory exists, and no part of the path to it from the data directory is a link or a file. */
export function isOwnDirectory(fs: FileSystem, dataDir: string, directory: string): boolean {
  if (directory === dataDir) return true;
  return isOwnDirectory(fs, dataDir, path.dirname(directory)) && fs.inspect(directory)?.kind === "directory";
}
