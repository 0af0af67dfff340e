import fs from "node:fs";
import os from "node:os";
import path from "node:path";

/**
 * The root of the project that a directory belongs to: the nearest directory above it with a `.git`, else the directory
 * itself. The root of the file system and the home directory are no project: everything would belong to it.
 */
export function findProject(directory: string): string | undefined {
  const start = path.resolve(directory);
  const home = os.homedir();
  // The working directory is told without links, the home directory as it was set.
  const homes = [home, fs.existsSync(home) ? fs.realpathSync(home) : home];
  const isNowhere = (at: string): boolean => at === path.parse(at).root || homes.includes(at);
  for (let at = start; !isNowhere(at); at = path.dirname(at)) {
    if (fs.existsSync(path.join(at, ".git"))) return at;
  }
  return isNowhere(start) ? undefined : start;
}
