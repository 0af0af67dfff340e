import fs from "node:fs";
import path from "node:path";
import { WorkrailError } from "@workrail/core";
import { isAbandoned, temporaryName } from "./durable-files.ts";
import { fileError } from "./file-errors.ts";
import { hasCode } from "./error-codes.ts";
import type { FileSystem } from "./file-system.ts";
import { makeDirectories } from "./make-directories.ts";

/** A directory that gets its name once its content is complete and on disk. */
export class NewDirectory {
  /** Temporary path, beside the final name. */
  readonly path: string;
  readonly #name: string;
  readonly #fs: FileSystem;

  /**
   * Creates the temporary directory, owner-only, and removes abandoned ones beside it.
   *
   * @param purpose letters in the temporary name that tell its purpose.
   * @throws INVALID_INPUT when the final name exists and is not an empty directory; STORAGE_UNAVAILABLE.
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

  /** Renames it to its final name, durably. Its content must be on disk. */
  async publish(): Promise<void> {
    try {
      await this.#fs.syncDirectory(this.path);
      // Windows does not allow replacing an empty directory.
      if (this.#fs.inspect(this.#name) !== undefined) fs.rmdirSync(this.#name);
      this.#fs.rename(this.path, this.#name);
      await this.#fs.syncDirectory(path.dirname(this.#name));
    } catch (error) {
      throw hasCode(error, "ENOTEMPTY", "EEXIST") ? taken(this.#name) : fileError(error, this.#name);
    }
  }

  /** Removes the directory; a part that cannot be removed now is removed by the next `create`. */
  discard(): void {
    try {
      fs.rmSync(this.path, { recursive: true, force: true });
    } catch {
      // The original error is the one to report.
    }
  }
}

/** Tells whether a directory is missing or empty. */
export function isFree(directory: string): boolean {
  try {
    return fs.readdirSync(directory).length === 0;
  } catch (error) {
    if (hasCode(error, "ENOENT")) return true;
    throw hasCode(error, "ENOTDIR") ? taken(directory) : fileError(error, directory);
  }
}

/** Removes temporary directories whose creators are gone. */
export function removeAbandonedDirectories(files: FileSystem, parent: string, purpose: string): void {
  const now = new Date();
  for (const name of files.list(parent)) {
    if (!name.startsWith(`.tmp-${purpose}-`) || !isAbandoned(files, path.join(parent, name), now)) continue;
    try {
      fs.rmSync(path.join(parent, name), { recursive: true, force: true });
    } catch (error) {
      // In a shared place it may be another user's, or in use right now.
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
