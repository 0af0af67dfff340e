import { randomBytes } from "node:crypto";
import path from "node:path";
import { isWorkrailError, type Reserve } from "@workrail/core";
import { removeIfPresent, writeAll } from "./durable-files.ts";
import { fileError } from "./file-errors.ts";
import type { FileSystem } from "./file-system.ts";
import { RESERVE } from "./paths.ts";

const SIZE_BYTES = 1024 * 1024;
/** The reserve is not created when less than this is free. */
const LEAST_FREE_BYTES = 2 * SIZE_BYTES;

/** A file that only occupies space: on a full disk, removing it frees the space that a clean-up needs. */
export class ReserveFile implements Reserve {
  readonly #dataDir: string;
  readonly #fs: FileSystem;
  readonly #file: string;
  readonly #freeMore: (() => Promise<void>) | undefined;

  /** @param freeMore frees other space that the storage does not need. */
  constructor(dataDir: string, fs: FileSystem, freeMore?: () => Promise<void>) {
    this.#dataDir = dataDir;
    this.#fs = fs;
    this.#freeMore = freeMore;
    this.#file = path.join(dataDir, RESERVE);
  }

  /** Creates the file unless it exists. Returns `false` when the disk has no room. */
  async keep(): Promise<boolean> {
    const found = this.#fs.inspect(this.#file);
    // A process that died may have left a part of the file.
    if (found?.kind === "file" && found.sizeBytes >= SIZE_BYTES) return true;
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

  /** Removes the file, and resolves to its size in bytes. */
  async release(): Promise<number> {
    let bytes = 0;
    try {
      bytes = this.#fs.inspect(this.#file)?.sizeBytes ?? 0;
      removeIfPresent(this.#fs, this.#file);
    } catch (error) {
      throw fileError(error, this.#file);
    }
    await this.#freeMore?.();
    return bytes;
  }

  /** Returns the bytes that this user may still write on the disk. */
  freeBytes(): number {
    try {
      return this.#fs.freeBytes(this.#dataDir);
    } catch (error) {
      throw fileError(error, this.#dataDir);
    }
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
