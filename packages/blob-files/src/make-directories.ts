import fs from "node:fs";
import path from "node:path";
import { hasCode } from "./error-codes.ts";

/**
 * Creates a directory, owner-only, with missing parents. Node's own recursive mkdir never returns where a directory neither exists nor can
 * be created, such as in `/proc`.
 *
 * @returns the topmost directory that was created; `undefined` when all existed.
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
      // Another process created it first. If it is not a directory, creating the next one fails.
      const isThere = hasCode(error, "EEXIST") && (each !== missing[0] || isDirectory(each));
      if (!isThere) throw error;
    }
  }
  return firstMade;
}

function isDirectory(place: string): boolean {
  return fs.statSync(place, { throwIfNoEntry: false })?.isDirectory() === true;
}
