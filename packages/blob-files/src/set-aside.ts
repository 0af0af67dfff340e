import path from "node:path";
import type { FileSystem } from "./file-system.ts";

/**
 * Moves a catalog that is to be replaced, then the files beside it in this order, to free names: with `.replaced-1` after the catalog's own
 * name, or the first free number. Durable once the directory is synced.
 *
 * @returns a function that undoes the move, for a failed replacement. After a failure of the move itself everything is in its old place.
 */
export function setAside(fs: FileSystem, catalog: string, beside: readonly string[] = []): () => void {
  const taken = new Set(fs.list(path.dirname(catalog)));
  let number = 1;
  while (taken.has(`${path.basename(catalog)}.replaced-${number}`)) number += 1;
  const moved: (readonly [from: string, to: string])[] = [];
  const putBack = (): void => {
    try {
      for (const [from, to] of moved.reverse()) fs.rename(to, from);
    } catch {
      // Without its first file the catalog counts as lost, and is rebuilt. The earlier error is the one to report.
    }
  };
  try {
    for (const suffix of ["", ...beside]) {
      const [from, to] = [catalog + suffix, `${catalog}.replaced-${number}${suffix}`];
      if (fs.inspect(from) === undefined) continue;
      fs.rename(from, to);
      moved.push([from, to]);
    }
  } catch (error) {
    putBack();
    throw error;
  }
  return putBack;
}
