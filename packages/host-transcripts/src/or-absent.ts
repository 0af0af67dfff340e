import { readFileSync, statSync } from "node:fs";

/** Missing, not readable for this user, or a broken path. */
const ABSENT = new Set(["ENOENT", "ENOTDIR", "EACCES", "EPERM", "ELOOP", "ENAMETOOLONG"]);

/** The result of `look`; `undefined` when the file or folder is missing, a broken link, or not readable for this user. */
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
