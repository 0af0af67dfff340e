import fs from "node:fs";
import os from "node:os";
import path from "node:path";

/**
 * The root of the project that a directory belongs to: the nearest directory above it with a `.git`, else the directory
 * itself. The root of the file system and the home directory are no project: everything would belong to it.
 */
export function findProject(directory: string): string | undefined {
  const above = directoriesUp(directory);
  return above.find((at) => fs.existsSync(path.join(at, ".git"))) ?? above[0];
}

/** A directory and those above it that may be a project, the nearest first. */
export function directoriesUp(directory: string): string[] {
  const home = os.homedir();
  // The working directory is told without links, the home directory as it was set.
  const homes = [home, fs.existsSync(home) ? fs.realpathSync(home) : home];
  const above: string[] = [];
  for (let at = path.resolve(directory); at !== path.parse(at).root && !homes.includes(at); at = path.dirname(at)) above.push(at);
  return above;
}
