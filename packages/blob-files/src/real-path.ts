import fs from "node:fs";
import { hasCode } from "./error-codes.ts";

/**
 * Resolves a path: without links, in the letter case of a case-insensitive file system, and on Windows with the network share of a drive
 * letter.
 *
 * @throws Node's errors.
 */
export function realPathOf(place: string): string {
  try {
    return fs.realpathSync.native(place);
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) throw error;
    // Some Windows drives, such as RAM disks, do not support the native call.
    return fs.realpathSync(place);
  }
}
