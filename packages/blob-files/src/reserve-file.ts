import { randomBytes } from "node:crypto";
import path from "node:path";
import { isWorkrailError } from "@workrail/core";
import { removeIfPresent, writeAll } from "./durable-files.ts";
import { fileError } from "./file-errors.ts";
import type { FileSystem } from "./file-system.ts";
import { RESERVE } from "./paths.ts";

const SIZE_BYTES = 1024 * 1024;
/** The reserve is not created when less than this is free. */
const LEAST_FREE_BYTES = 2 * SIZE_BYTES;

/** A file that only occupies space: on a full disk, removing it frees the space that a clean-up needs. */
export class ReserveFile {
  readonly #dataDir: string;
  readonly #fs: FileSystem;
  readonly #file: string;

  constructor(dataDir: string, fs: FileSystem) {
    this.#dataDir = dataDir;
    this.#fs = fs;
    this.#file = path.join(dataDir, RESERVE);
  }

  /** Creates the file unless it exists. Returns `false` when the disk has no room. */
  async keep(): Promise<boolean> {
    if (this.#isThere()) return true;
    if (this.freeBytes() < LEAST_FREE_BYTES) return false;
    try {
      await this.#make();
      return true;
    } catch (error) {
      // The same problem affects saves, which report it.
      if (isWorkrailError(fileError(error))) return false;
      throw error;
    }
  }

  /** Removes the file, and returns its size in bytes. */
  release(): number {
    try {
      const bytes = this.#fs.inspect(this.#file)?.sizeBytes ?? 0;
      removeIfPresent(this.#fs, this.#file);
      return bytes;
    } catch (error) {
      throw fileError(error, this.#file);
    }
  }

  /** Returns the bytes that this user may still write on the disk. */
  freeBytes(): number {
    try {
      return this.#fs.freeBytes(this.#dataDir);
    } catch (error) {
      throw fileError(error, this.#dataDir);
    }
  }

  /** Checks the size too: a process that died may have left a part of the file. */
  #isThere(): boolean {
    const found = this.#fs.inspect(this.#file);
    return found?.kind === "file" && found.sizeBytes >= SIZE_BYTES;
  }

  async #make(): Promise<void> {
    removeIfPresent(this.#fs, this.#file);
    const fd = this.#fs.create(this.#file);
    try {
      // Random bytes, because a file system may compress zeros and then reserve no space.
      writeAll(this.#fs, fd, randomBytes(SIZE_BYTES));
      await this.#fs.sync(fd);
    } catch (error) {
      removeIfPresent(this.#fs, this.#file);
      throw error;
    } finally {
      this.#fs.close(fd);
    }
  }
}
