import { readFileSync, statSync } from "node:fs";

/** Not there, not for this user to see, or a path that leads nowhere. */
const ABSENT = new Set(["ENOENT", "ENOTDIR", "EACCES", "EPERM", "ELOOP", "ENAMETOOLONG"]);

/** What `look` finds; `undefined` where the file or folder is not there, leads nowhere or must not be read. */
export function orAbsent<Found>(look: () => Found): Found | undefined {
  try {
    return look();
  } catch (error) {
    if (error instanceof Error && "code" in error && ABSENT.has(String(error.code))) return undefined;
    throw error;
  }
}

/** The text of a small regular file; `undefined` without one. */
export function textOfFile(file: string): string | undefined {
  return orAbsent(() => (statSync(file).isFile() ? readFileSync(file, "utf8") : undefined));
}
