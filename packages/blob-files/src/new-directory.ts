import fs from "node:fs";
import path from "node:path";
import { WorkrailError } from "@workrail/core";
import { isAbandoned, temporaryName } from "./durable-files.ts";
import { fileError } from "./file-errors.ts";
import { hasCode } from "./error-codes.ts";
import type { FileSystem } from "./file-system.ts";
import { makeDirectories } from "./make-directories.ts";

/** A directory that has its name only when all that belongs into it is there, and on the disk. */
export class NewDirectory {
  /** Where it is until then: beside its name. */
  readonly path: string;
  readonly #name: string;
  readonly #fs: FileSystem;

  /**
   * Begins one, owner-only, and removes what others that did not get to their end left beside it.
   *
   * @param purpose letters that say in the temporary name what it is for.
   * @throws INVALID_INPUT when there is something under its name but an empty directory; STORAGE_UNAVAILABLE.
   */
  static create(name: string, purpose: string, files: FileSystem): NewDirectory {
    refuseWhatIsThere(name);
    const parent = path.dirname(name);
    try {
      makeDirectories(parent);
      removeAbandonedDirectories(files, parent, purpose);
      const created = new NewDirectory(name, temporaryName(parent, purpose), files);
      files.makeDirectory(created.path);
      return created;
    } catch (error) {
      throw fileError(error, parent);
    }
  }

  private constructor(name: string, temporary: string, files: FileSystem) {
    this.#name = name;
    this.path = temporary;
    this.#fs = files;
  }

  /** Gives it its name, durably. What is in it must be on the disk. */
  async publish(): Promise<void> {
    try {
      await this.#fs.syncDirectory(this.path);
      // Where Windows would not let it take the place of an empty one.
      if (this.#fs.inspect(this.#name) !== undefined) fs.rmdirSync(this.#name);
      this.#fs.rename(this.path, this.#name);
      await this.#fs.syncDirectory(path.dirname(this.#name));
    } catch (error) {
      throw hasCode(error, "ENOTEMPTY", "EEXIST") ? taken(this.#name) : fileError(error, this.#name);
    }
  }

  /** Removes what is in it; what cannot be removed now is removed by the next one. */
  discard(): void {
    try {
      fs.rmSync(this.path, { recursive: true, force: true });
    } catch {
      // The failure that brought us here is the one worth telling.
    }
  }
}

/** Whether nobody has anything there: no such directory, or one that is empty. */
export function isFree(directory: string): boolean {
  try {
    return fs.readdirSync(directory).length === 0;
  } catch (error) {
    if (hasCode(error, "ENOENT")) return true;
    throw hasCode(error, "ENOTDIR") ? taken(directory) : fileError(error, directory);
  }
}

/** Removes temporary directories whose makers are gone. */
export function removeAbandonedDirectories(files: FileSystem, parent: string, purpose: string): void {
  const now = new Date();
  for (const name of files.list(parent)) {
    if (!name.startsWith(`.tmp-${purpose}-`) || !isAbandoned(files, parent, name, now)) continue;
    try {
      fs.rmSync(path.join(parent, name), { recursive: true, force: true });
    } catch (error) {
      // In a place that many use it may be another user's, or be looked at in this moment.
      if (!hasCode(error, "EACCES", "EPERM", "EBUSY")) throw error;
    }
  }
}

function refuseWhatIsThere(directory: string): void {
  const isLink = fs.lstatSync(directory, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  if (isLink || !isFree(directory)) throw taken(directory);
}

function taken(directory: string): WorkrailError {
  return new WorkrailError("INVALID_INPUT", `${directory} is there already, and not an empty directory.`, {
    details: { path: directory },
    hint: "Name a directory that does not exist: nothing is ever written over.",
  });
}
