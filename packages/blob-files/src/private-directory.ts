import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { WorkrailError } from "@workrail/core";
import { isAbandoned, temporaryName } from "./durable-files.ts";
import { hasCode } from "./error-codes.ts";
import { nodeFileSystem } from "./file-system.ts";
import { temporaryPlace } from "./private-place.ts";

const PURPOSE = "read";

/** A private directory of this process in the system's temporary directory, for data that must not be written into a store. */
export class PrivateDirectory {
  readonly path: string;
  #made = 0;

  /**
   * Creates one, owner-only, and removes abandoned ones of this user.
   *
   * @param outside directory that it must not be in.
   * @throws STORAGE_UNAVAILABLE
   */
  static create(outside: string): PrivateDirectory {
    const parent = placeOutside(outside);
    try {
      removeAbandoned(parent);
      const directory = temporaryName(parent, PURPOSE);
      fs.mkdirSync(directory, { mode: 0o700 });
      return new PrivateDirectory(directory);
    } catch (error) {
      throw unusable(parent, error);
    }
  }

  private constructor(directory: string) {
    this.path = directory;
  }

  /**
   * Creates an empty directory in it.
   *
   * @throws STORAGE_UNAVAILABLE
   */
  newDirectory(): string {
    this.#made += 1;
    const directory = path.join(this.path, String(this.#made));
    this.makeAgain();
    try {
      fs.mkdirSync(directory, { mode: 0o700 });
      return directory;
    } catch (error) {
      throw unusable(path.dirname(this.path), error);
    }
  }

  /**
   * Recreates the directory if it is missing: many systems remove temporary files that were unchanged for days.
   *
   * @throws STORAGE_UNAVAILABLE, also when somebody else has put something in its place.
   */
  makeAgain(): void {
    try {
      const found = fs.lstatSync(this.path, { throwIfNoEntry: false });
      if (found === undefined) fs.mkdirSync(this.path, { mode: 0o700 });
      else if (!isOurs(found)) throw new Error("Another user occupies the path of the directory.");
    } catch (error) {
      throw unusable(path.dirname(this.path), error);
    }
  }

  /** Removes the directory and its content. May be called twice. */
  remove(): void {
    removeTree(this.path);
  }
}

/** Removes a directory and its content, even while somebody else removes parts of it. */
export function removeTree(directory: string): void {
  fs.rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
}

function placeOutside(directory: string): string {
  const parent = temporaryPlace();
  if (parent === undefined)
    throw unusable(os.tmpdir(), new Error("The directory cannot be used, or another user can replace its content."));
  const way = path.relative(directory, parent);
  const isOutside = way === ".." || way.startsWith(`..${path.sep}`) || path.isAbsolute(way);
  if (!isOutside) throw unusable(parent, new Error("It is a part of the data directory."));
  return parent;
}

/** Removes abandoned directories of this user. In a shared place anybody can create one with such a name. */
function removeAbandoned(parent: string): void {
  const now = new Date();
  for (const name of nodeFileSystem.list(parent)) {
    if (!name.startsWith(`.tmp-${PURPOSE}-`) || !isAbandoned(nodeFileSystem, path.join(parent, name), now)) continue;
    const found = fs.lstatSync(path.join(parent, name), { throwIfNoEntry: false });
    if (found === undefined || !isOurs(found)) continue;
    try {
      removeTree(path.join(parent, name));
    } catch (error) {
      // Its owner may have removed its own permissions, or be removing it too; or somebody else has a file of it open.
      if (!hasCode(error, "EACCES", "EPERM", "EBUSY", "ENOTEMPTY")) throw error;
    }
  }
}

function isOurs(found: fs.Stats): boolean {
  return found.isDirectory() && (process.getuid === undefined || found.uid === process.getuid());
}

function unusable(parent: string, cause: unknown): WorkrailError {
  return new WorkrailError("STORAGE_UNAVAILABLE", "Read-only use needs space for a copy of the catalog, and there is none.", {
    details: { reason: "no-private-directory", path: parent },
    hint: "Set TMPDIR (on Windows TEMP) to a directory outside of the store that this user may write to.",
    cause,
  });
}
