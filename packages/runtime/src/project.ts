import path from "node:path";
import { directoriesUp, signatureOf } from "@workrail/blob-files";

/**
 * Finds the root of a directory's project: the nearest directory upwards with a `.git`, else the directory itself.
 *
 * The root of the file system and the home directory are never a project, because everything would belong to it.
 */
export function findProject(directory: string): string | undefined {
  const above = directoriesUp(directory);
  return above.find((at) => signatureOf(path.join(at, ".git")) !== undefined) ?? above[0];
}
