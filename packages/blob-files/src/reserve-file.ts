import { randomBytes } from "node:crypto";
import path from "node:path";
import { isWorkrailError } from "@workrail/core";
import { removeIfPresent, writeAll } from "./durable-files.ts";
import { fileError } from "./file-errors.ts";
import type { FileSystem } from "./file-system.ts";
import { RESERVE } from "./paths.ts";

const SIZE_BYTES = 1024 * 1024;
/** With less than this left nobody begins to take room away. */
const LEAST_FREE_BYTES = 2 * SIZE_BYTES;

/** A file of no use but its size: when the disk is full, removing it makes the room that making room needs. */
export class ReserveFile {
  readonly #dataDir: string;
  readonly #fs: FileSystem;
  readonly #file: string;

  constructor(dataDir: string, fs: FileSystem) {
    this.#dataDir = dataDir;
    this.#fs = fs;
    this.#file = path.join(dataDir, RESERVE);
  }

  /** Makes it unless it is there. `false` when the disk does not take it. */
  async keep(): Promise<boolean> {
    if (this.#isThere()) return true;
    if (this.freeBytes() < LEAST_FREE_BYTES) return false;
    try {
      await this.#make();
      return true;
    } catch (error) {
      // What keeps it from being written keeps saves from it too, and those tell.
      if (isWorkrailError(fileError(error))) return false;
      throw error;
    }
  }

  /** Returns how many bytes it had. */
  release(): number {
    try {
      const bytes = this.#fs.inspect(this.#file)?.sizeBytes ?? 0;
      removeIfPresent(this.#fs, this.#file);
      return bytes;
    } catch (error) {
      throw fileError(error, this.#file);
    }
  }

  /** How much this user may still write on the disk. */
  freeBytes(): number {
    try {
      return this.#fs.freeBytes(this.#dataDir);
    } catch (error) {
      throw fileError(error, this.#dataDir);
    }
  }

  /** A process that died may have left a part of it. */
  #isThere(): boolean {
    const found = this.#fs.inspect(this.#file);
    return found?.kind === "file" && found.sizeBytes >= SIZE_BYTES;
  }

  async #make(): Promise<void> {
    removeIfPresent(this.#fs, this.#file);
    const fd = this.#fs.create(this.#file);
    try {
      // A file system may compress, or only note that there are zeros: then it would hold no room.
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
