import fs from "node:fs";
import path from "node:path";
import { homeDirectory } from "./home-directory.ts";
import { realPathOf } from "./real-path.ts";

/** Platforms whose paths ignore letter case and the encoding of accents. */
const INDIFFERENT: readonly NodeJS.Platform[] = ["win32", "darwin"];

/**
 * Returns a path as the file system spells it: `c:\users\me` may be typed by a person or an editor for `C:\Users\me`. Links stay
 * unresolved. A missing path is unchanged except for its drive letter. Case-sensitive platforms return the path itself.
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

/**
 * Returns a directory and its ancestors that may be a project, the nearest first, without the root of the file system and the home
 * directory, where the search ends.
 */
export function directoriesUp(directory: string): string[] {
  const home = homeDirectory();
  // The working directory is reported without links, the home directory as it was set.
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
