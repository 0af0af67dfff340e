import path from "node:path";
import type { FileSystem } from "./file-system.ts";

/**
 * Moves a catalog that is to be replaced, and in this order the files beside it, to names that are free: `.replaced-1`
 * behind the catalog's own, or the first higher number. Not durable before the directory is synced.
 *
 * @returns what takes it back, for a replacement that fails; a failure of its own leaves everything where it was.
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
      // Without its first file the catalog counts as lost, and is rebuilt. The failure before this one is to be told.
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
