import fs from "node:fs";

/** Whether this process may see what is in a directory, and open it. */
export function canBeListed(directory: string): boolean {
  try {
    fs.accessSync(directory, fs.constants.R_OK | fs.constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
