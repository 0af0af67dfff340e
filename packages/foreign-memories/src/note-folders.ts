import fs from "node:fs/promises";
import path from "node:path";
import { hasCode } from "@workrail/blob-files";

/** A folder and the notes directly in it. */
export interface NoteFolder {
  /** Absolute path. */
  readonly folder: string;
  /** Names of Markdown files, in order. */
  readonly notes: readonly string[];
  /** Names of entries that are neither notes nor folders, including links. */
  readonly others: readonly string[];
  /** True when the folder cannot be listed. */
  readonly isUnreadable: boolean;
}

const MAX_DEPTH = 32;
const MAX_ENTRIES = 200_000;
const NOTE = /\.(?:md|markdown)$/iu;

/**
 * Lists a folder and its subfolders in order. Skips names that begin with a dot, and `node_modules`, as Basic Memory does by default.
 * Follows no links.
 *
 * @returns `undefined` when there are more than 200,000 entries, or folders lie deeper than 32 levels.
 */
export async function findNoteFolders(root: string): Promise<readonly NoteFolder[] | undefined> {
  const found: NoteFolder[] = [];
  const pending = [{ folder: root, depth: 1 }];
  let entries = 0;
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { depth, folder } = next;
    const listed = await list(folder);
    entries += listed.count;
    if (entries > MAX_ENTRIES || depth > MAX_DEPTH) return undefined;
    found.push({ folder, notes: listed.notes, others: listed.others, isUnreadable: listed.isUnreadable });
    for (const name of listed.folders.toReversed()) pending.push({ folder: path.join(folder, name), depth: depth + 1 });
  }
  return found;
}

async function list(folder: string): Promise<Omit<NoteFolder, "folder"> & { readonly folders: readonly string[]; readonly count: number }> {
  const notes: string[] = [];
  const others: string[] = [];
  const folders: string[] = [];
  let count = 0;
  try {
    for await (const entry of await fs.opendir(folder)) {
      if (++count > MAX_ENTRIES) break;
      if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
      const place = entry.isDirectory() ? folders : entry.isFile() && NOTE.test(entry.name) ? notes : others;
      place.push(entry.name);
    }
  } catch (error) {
    if (!hasCode(error, "EACCES", "EPERM", "ENOENT")) throw error;
    return { notes: [], others: [], folders: [], count, isUnreadable: true };
  }
  return { notes: notes.toSorted(), others, folders: folders.toSorted(), count, isUnreadable: false };
}
