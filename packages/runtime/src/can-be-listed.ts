import fs from "node:fs";

/** Tells whether this process may list a directory and open the files in it. */
export function canBeListed(directory: string): boolean {
  try {
    fs.accessSync(directory, fs.constants.R_OK | fs.constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
