import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { realPathOf } from "./real-path.ts";

/** Where letter case, and how an accent is encoded, make no difference between two paths. */
const INDIFFERENT: readonly NodeJS.Platform[] = ["win32", "darwin"];

/**
 * A path as the file system spells it: `c:\users\me` may be what somebody typed, or an editor made of `C:\Users\me`. Links stay
 * as they are, and so does what is not there but for its drive letter. Where letter case tells paths apart it is the path itself.
 */
export function asSpelled(place: string): string {
  if (!INDIFFERENT.includes(process.platform)) return place;
  const drive = place.replace(/^[a-z]:/u, (letter) => letter.toUpperCase());
  try {
    const real = realPathOf(place);
    return isSamePlace(real, place) ? real : drive;
  } catch {
    return drive;
  }
}

/** A directory and those above it that may be a project, the nearest first: up to the root of the file system or the home directory, and without these. */
export function directoriesUp(directory: string): string[] {
  const home = os.homedir();
  // The working directory is told without links, the home directory as it was set.
  const homes = [home, fs.existsSync(home) ? realPathOf(home) : home];
  const above: string[] = [];
  for (let at = asSpelled(path.resolve(directory)); at !== path.parse(at).root; at = path.dirname(at)) {
    if (homes.some((each) => isSamePlace(each, at))) break;
    above.push(at);
  }
  return above;
}

function isSamePlace(one: string, other: string): boolean {
  return one === other || (INDIFFERENT.includes(process.platform) && folded(one) === folded(other));
}

function folded(place: string): string {
  return place.normalize("NFC").toLowerCase();
}
