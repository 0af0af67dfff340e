// The invented code base as the session sees it: the files at the beginning, and the result of each edit. Every file is stored with ".txt"
// appended, so that no tool of this repository takes it for its own source.
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("./", import.meta.url));

export function authored(path) {
  return readFileSync(join(folder, path), "utf8");
}

/** Returns the code base before the session begins: path -> content. */
export function baseFiles() {
  const root = join(folder, "base");
  const names = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join("/"));
  return new Map(names.sort().map((name) => [originalName(name), authored(`base/${name}`)]));
}

function originalName(name) {
  return name.replace(/\.txt$/, "").replace(/^dot-/, ".");
}

/**
 * An edit file holds replacements, in the order they are made:
 *
 *   <<<<<<< path/of/the/file.ts
 *   the text to find, exactly once
 *   =======
 *   the text to put there
 *   >>>>>>>
 */
export function parseEdits(text) {
  const pattern = /^<<<<<<< (.+)\n([^]*?)^=======\n([^]*?)^>>>>>>>$/gm;
  return [...text.matchAll(pattern)].map(([, path, find, replace]) => ({ path, find, replace }));
}

/** Applies one replacement and returns the first line of the changed place, counted from 1. */
export function applyEdit(files, { path, find, replace }) {
  const before = files.get(path);
  if (before === undefined) throw new Error(`edit of ${path}, which does not exist`);
  const at = before.indexOf(find);
  if (at < 0 || before.indexOf(find, at + 1) >= 0) throw new Error(`edit of ${path}: not found exactly once:\n${find}`);
  files.set(path, before.slice(0, at) + replace + before.slice(at + find.length));
  return before.slice(0, at).split("\n").length;
}
