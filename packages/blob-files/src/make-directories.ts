import fs from "node:fs";
import path from "node:path";
import { hasCode } from "./error-codes.ts";

/**
 * Makes a directory, owner-only, and those above it that are missing. Node can do that by itself, but never comes back from a
 * place where a directory is neither found nor can be made, such as `/proc`.
 *
 * @returns the topmost that was made; `undefined` when all were there.
 * @throws Node's errors.
 */
export function makeDirectories(directory: string): string | undefined {
  const missing: string[] = [];
  for (let each = path.resolve(directory); !isDirectory(each) && each !== path.dirname(each); each = path.dirname(each)) missing.push(each);
  let firstMade: string | undefined;
  for (const each of missing.toReversed()) {
    try {
      fs.mkdirSync(each, { mode: 0o700 });
      firstMade ??= each;
    } catch (error) {
      // Another process was faster; of what is no directory at all the next one tells.
      const isThere = hasCode(error, "EEXIST") && (each !== missing[0] || isDirectory(each));
      if (!isThere) throw error;
    }
  }
  return firstMade;
}

function isDirectory(place: string): boolean {
  return fs.statSync(place, { throwIfNoEntry: false })?.isDirectory() === true;
}
