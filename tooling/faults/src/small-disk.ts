import { execFileSync } from "node:child_process";
import { cpSync, readdirSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { IS_LONG } from "../../../packages/storage-conformance/test/long-form.ts";

const FILLER = "filler";
const PAGE = 4096;
/** Large enough for everything that a command writes, after the filler is removed. */
const SIZE = "8m";

/** Mounting needs root, and Linux for a file system in memory. */
export const HAS_SMALL_DISK: boolean = process.platform === "linux" && process.getuid?.() === 0;

const KiB = 1024;
const LEVELS = [0, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 400].map((level) => level * KiB);

/** Levels at which different writes fail. */
const DIFFERENT_LEVELS = [0, 4 * KiB, 128 * KiB];

/** Free bytes of a full disk for the test with this index: all levels in `npm run test:faults`, else the tests take turns with some. */
export function fillLevels(index: number): readonly number[] {
  if (IS_LONG) return LEVELS;
  return DIFFERENT_LEVELS.slice(index % DIFFERENT_LEVELS.length).slice(0, 1);
}

/** Content of fillers, allocated once: they are large. */
let zeros = Buffer.alloc(0);

/** A file system that a test fills up to a number of free bytes. */
export class SmallDisk {
  readonly directory: string;
  /** Directory of the store on it. */
  readonly dataDir: string;

  private constructor(directory: string) {
    this.directory = directory;
    this.dataDir = join(directory, "data");
  }

  /** @returns `undefined` where mounting is not allowed, as in most containers. */
  static mount(directory: string, size: string = SIZE): SmallDisk | undefined {
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", `size=${size},mode=0700`, "tmpfs", directory], { stdio: "ignore" });
      return new SmallDisk(directory);
    } catch {
      return undefined;
    }
  }

  unmount(): void {
    execFileSync("umount", ["-l", this.directory]);
  }

  /** Replaces the content by a copy of a store. */
  hold(store: string): void {
    for (const name of readdirSync(this.directory)) rmSync(join(this.directory, name), { recursive: true, force: true });
    const before = process.umask(0o077);
    cpSync(store, this.dataDir, { recursive: true });
    process.umask(before);
  }

  /** Leaves a number of bytes free, in whole pages. */
  leave(bytes: number): void {
    const room = this.#free() - Math.ceil(bytes / PAGE) * PAGE;
    if (room < 0) throw new Error(`There are less than ${bytes} bytes free.`);
    this.#fill(room);
    if (this.#free() !== Math.ceil(bytes / PAGE) * PAGE) throw new Error(`${this.#free()} bytes are free, not ${bytes}.`);
  }

  /** Fills the disk up as `leave` does, while another process writes to it. */
  leaveAbout(bytes: number): void {
    this.#fill(Math.max(0, this.#free() - bytes));
  }

  makeRoom(): void {
    rmSync(join(this.directory, FILLER), { force: true });
  }

  #fill(bytes: number): void {
    if (zeros.length < bytes) zeros = Buffer.alloc(bytes);
    writeFileSync(join(this.directory, FILLER), zeros.subarray(0, bytes));
  }

  #free(): number {
    const { bavail, bsize } = statfsSync(this.directory);
    return bavail * bsize;
  }
}

/** Removes the catalog of a closed store, and the reserve for a full disk. */
export function loseCatalog(dataDir: string): void {
  for (const name of ["workrail.db", "workrail.db-wal", "workrail.db-shm", "reserve"]) rmSync(join(dataDir, name), { force: true });
}
