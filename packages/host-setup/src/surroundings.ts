import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { hasCode } from "@workrail/blob-files";

/** The parts of the machine that a set-up uses. */
export interface Surroundings {
  /** The person's home directory. */
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** The directory of the project, for the set-up of one project. */
  readonly project: string;
}

/** The machine on which this process runs. @param project default: the working directory. */
export function currentSurroundings(project: string = process.cwd()): Surroundings {
  return { home: os.homedir(), env: process.env, platform: process.platform, project };
}

/** The directory that an environment variable names, or else the default. */
export function directoryFrom({ env }: Surroundings, variable: string, usual: string): string {
  const named = env[variable];
  return named !== undefined && path.isAbsolute(named) ? named : usual;
}

/** The file of a program on `PATH`; `undefined` when there is none. Like a shell, skips directories that the user may not search. */
export function findProgram(name: string, { env, platform }: Surroundings): string | undefined {
  const endings = platform === "win32" ? [".exe", ".cmd", ".bat", ".com"] : [""];
  const folders = (env["PATH"] ?? env["Path"] ?? "").split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  return folders.flatMap((folder) => endings.map((ending) => path.join(folder, name + ending))).find((file) => isFile(file));
}

/** Also `false` without permission, or for a broken path: nothing can be started from there. */
export function isFile(file: string): boolean {
  try {
    return fs.statSync(file, { throwIfNoEntry: false })?.isFile() === true;
  } catch (error) {
    if (hasCode(error, "EACCES", "EPERM", "ELOOP", "ENOTDIR", "ENAMETOOLONG")) return false;
    throw error;
  }
}
