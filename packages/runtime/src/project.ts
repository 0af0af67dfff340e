import fs from "node:fs";
import path from "node:path";
import { directoriesUp } from "@workrail/blob-files";

/**
 * The root of the project that a directory belongs to: the nearest directory above it with a `.git`, else the directory
 * itself. The root of the file system and the home directory are no project: everything would belong to it.
 */
export function findProject(directory: string): string | undefined {
  const above = directoriesUp(directory);
  return above.find((at) => fs.existsSync(path.join(at, ".git"))) ?? above[0];
}
