import fs from "node:fs";
import { hasCode } from "@workrail/blob-files";

/** Names in a folder; none for a missing folder. */
export function namesIn(folder: string): string[] {
  try {
    // Most stores have no hooks, and an exception takes longer than a look. A file in place of the data directory makes both throw.
    const isThere = fs.lstatSync(folder, { throwIfNoEntry: false }) !== undefined;
    return isThere ? fs.readdirSync(folder) : [];
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

export function isMissing(error: unknown): boolean {
  return hasCode(error, "ENOENT", "ENOTDIR");
}
