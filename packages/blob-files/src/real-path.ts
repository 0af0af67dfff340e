import fs from "node:fs";
import { hasCode } from "./error-codes.ts";

/**
 * What a path really names: without links, in the letter case of the file system where that makes no difference, and on Windows
 * with the share that a drive letter stands for.
 *
 * @throws Node's errors.
 */
export function realPathOf(place: string): string {
  try {
    return fs.realpathSync.native(place);
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) throw error;
    // Some drives of Windows, such as those in memory, cannot tell it.
    return fs.realpathSync(place);
  }
}
