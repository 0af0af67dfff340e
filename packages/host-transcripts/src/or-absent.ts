import { readFileSync, statSync } from "node:fs";

/** Codes of missing, unreadable and broken paths. */
const ABSENT = new Set(["ENOENT", "ENOTDIR", "EACCES", "EPERM", "ELOOP", "ENAMETOOLONG"]);

/** Returns the result of `look`; `undefined` when its path is missing, unreadable or a broken link. */
export function orAbsent<Found>(look: () => Found): Found | undefined {
  try {
    return look();
  } catch (error) {
    if (error instanceof Error && "code" in error && ABSENT.has(String(error.code))) return undefined;
    throw error;
  }
}

/** Reads a small regular file; `undefined` if there is none. */
export function textOfFile(file: string): string | undefined {
  return orAbsent(() => (statSync(file).isFile() ? readFileSync(file, "utf8") : undefined));
}
