import path from "node:path";
import { directoriesUp, signatureOf } from "@workrail/blob-files";

/**
 * The root of the project that a directory belongs to: the nearest directory above it with a `.git`, else the directory
 * itself. The root of the file system and the home directory are no project: everything would belong to it.
 */
export function findProject(directory: string): string | undefined {
  const above = directoriesUp(directory);
  return above.find((at) => signatureOf(path.join(at, ".git")) !== undefined) ?? above[0];
}
