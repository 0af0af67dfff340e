import fs from "node:fs";
import { hasCode, isWithoutDirectorySync } from "./error-codes.ts";

/**
 * File operations that durability depends on, one method for each, so that tests can fail or kill at any of them. Operations on the page
 * cache are synchronous, because a thread hop costs more than the call. Operations that wait for the disk may be asynchronous, to keep the
 * event loop free. Errors are Node's own.
 */
export interface FileSystem {
  /** Creates a file that must not exist, owner-only, without following a symbolic link. Returns its descriptor. */
  create(path: string): number;
  /** Opens a file for appending, without following a symbolic link; fails when it is missing. Returns its descriptor. */
  append(path: string): number;
  /**
   * Opens a file for overwriting from its first byte, without following a symbolic link; fails when it is missing. Returns its descriptor.
   */
  overwrite(path: string): number;
  /** Writes some of the bytes, like `write(2)`; returns their number. */
  write(fd: number, bytes: Uint8Array): number;
  /** Makes the file's bytes durable by the time it returns, or its promise resolves. */
  sync(fd: number): Promise<void> | void;
  close(fd: number): void;
  /** Replaces `to` atomically, if it exists. */
  rename(from: string, to: string): void;
  /** Gives the file a second name; fails with EEXIST when that is taken. */
  link(from: string, to: string): void;
  unlink(path: string): void;
  /** Unlinks in a thread, for many files: freeing the blocks of a durable file takes longer than a thread hop. */
  unlinkSoon(path: string): Promise<void>;
  /** Makes names that were created, changed or removed in a directory durable, like `sync`. */
  syncDirectory(path: string): Promise<void> | void;
  /** Reads a whole file without following a symbolic link; `undefined` when there is no such file. */
  read(path: string): Promise<Uint8Array> | Uint8Array | undefined;
  /** Creates one directory, owner-only; `false` when the name is taken. */
  makeDirectory(path: string): boolean;
  /** Inspects the path itself, without following links; `undefined` when it does not exist. */
  inspect(path: string): FileInspection | undefined;
  /** Lists the names in a directory; empty when there is no such directory. */
  list(path: string): readonly string[];
  /** Bytes that this user may still write on the disk of a directory. */
  freeBytes(path: string): number;
}

export interface FileInspection {
  readonly kind: "file" | "directory" | "other";
  readonly sizeBytes: number;
  readonly modifiedAt: Date;
  /** Distinguishes two files that had the same name. */
  readonly identity: string;
  /** Number of hard links. */
  readonly names: number;
}

// Windows has no such flag, and requires a privilege to create links.
const NO_FOLLOW = (fs.constants as { O_NOFOLLOW?: number }).O_NOFOLLOW ?? 0;
// Do not block on a pipe that was put into a directory. Windows has none there.
const { O_NONBLOCK: WITHOUT_WAITING = 0, O_DIRECTORY: DIRECTORY = 0 } = fs.constants as Partial<typeof fs.constants>;
const CREATE = fs.constants.O_WRONLY | fs.constants.O_CREAT | fs.constants.O_EXCL | NO_FOLLOW;
const APPEND = fs.constants.O_WRONLY | fs.constants.O_APPEND | NO_FOLLOW;
/** Larger files are read without blocking the event loop. */
const READ_AT_ONCE_BYTES = 256 * 1024;
/** Longest fsync that is done synchronously: a thread hop would cost as much. */
const WAIT_AT_ONCE_MS = 1;
/** Attempts of an operation on Windows, with growing pauses. */
const ATTEMPTS = 14;
const PAUSE_MS = 5;

const system: FileSystem = {
  create: (path) => fs.openSync(path, CREATE, 0o600),
  append: (path) => fs.openSync(path, APPEND),
  overwrite: (path) => fs.openSync(path, fs.constants.O_WRONLY | NO_FOLLOW),
  write: (fd, bytes) => fs.writeSync(fd, bytes),
  sync: onDisk,
  close: (fd) => fs.closeSync(fd),
  rename: (from, to) => fs.renameSync(from, to),
  link: (from, to) => fs.linkSync(from, to),
  unlink: (path) => fs.unlinkSync(path),
  unlinkSoon: (path) => fs.promises.unlink(path),

  syncDirectory(path) {
    // Windows cannot open a directory, and makes renames durable by itself.
    if (process.platform === "win32") return;
    const fd = fs.openSync(path, fs.constants.O_RDONLY | DIRECTORY);
    let syncing: Promise<void> | void = undefined;
    try {
      syncing = onDisk(fd)
        ?.catch(unlessImpossible)
        .finally(() => fs.closeSync(fd));
    } catch (error) {
      unlessImpossible(error);
    } finally {
      if (syncing === undefined) fs.closeSync(fd);
    }
    return syncing;
  },

  read(path) {
    const fd = ifPresent(() => fs.openSync(path, fs.constants.O_RDONLY | NO_FOLLOW | WITHOUT_WAITING));
    if (fd === undefined) return undefined;
    let isHandedOver = false;
    try {
      const { size } = fs.fstatSync(fd);
      if (size <= READ_AT_ONCE_BYTES) return readNow(fd, size);
      isHandedOver = true;
      return readSoon(fd);
    } finally {
      if (!isHandedOver) fs.closeSync(fd);
    }
  },

  makeDirectory(path) {
    try {
      fs.mkdirSync(path, { mode: 0o700 });
      return true;
    } catch (error) {
      if (hasCode(error, "EEXIST")) return false;
      throw error;
    }
  },

  inspect(path) {
    const stats = fs.lstatSync(path, { throwIfNoEntry: false, bigint: true });
    if (stats === undefined) return undefined;
    return {
      kind: stats.isFile() ? "file" : stats.isDirectory() ? "directory" : "other",
      sizeBytes: Number(stats.size),
      modifiedAt: stats.mtime,
      identity: `${stats.dev}:${stats.ino}`,
      names: Number(stats.nlink),
    };
  },

  list: (path) => ifPresent(() => fs.readdirSync(path)) ?? [],

  freeBytes(path) {
    const { bavail, bsize } = fs.statfsSync(path);
    return bavail * bsize;
  },
};

/** The files of this machine. */
export const nodeFileSystem: FileSystem = process.platform === "win32" ? patient(system) : system;

/**
 * Returns a file system that retries on Windows. A virus scanner, an indexer or a backup may hold a file there for a moment, so that
 * renaming, removing or opening it fails: retries for half a second in total.
 */
export function patient(files: FileSystem): FileSystem {
  return {
    ...files,
    append: (path) => patiently(() => files.append(path)),
    overwrite: (path) => patiently(() => files.overwrite(path)),
    rename: (from, to) => patiently(() => files.rename(from, to)),
    unlink: (path) => patiently(() => files.unlink(path)),
    unlinkSoon: (path) => files.unlinkSoon(path).catch(() => patiently(() => files.unlink(path))),
    read: (path) => patiently(() => files.read(path)),
  };
}

function patiently<T>(work: () => T): T {
  for (let attempt = 1; ; attempt++) {
    try {
      return work();
    } catch (error) {
      if (attempt === ATTEMPTS || !hasCode(error, "EPERM", "EBUSY", "EACCES")) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, attempt * PAUSE_MS);
    }
  }
}

function readNow(fd: number, size: number): Uint8Array {
  const bytes = Buffer.allocUnsafe(size);
  let length = 0;
  for (let read = -1; length < size && read !== 0; length += read) read = fs.readSync(fd, bytes, length, size - length, length);
  return bytes.subarray(0, length);
}

function readSoon(fd: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    fs.readFile(fd, (error, bytes) => {
      fs.closeSync(fd);
      if (error === null) resolve(bytes);
      else reject(error);
    });
  });
}

/** Duration of the last fsync: the best prediction of the next one. */
let lastWaitMs = Number.POSITIVE_INFINITY;

function onDisk(fd: number): Promise<void> | void {
  const started = elapsedMs();
  if (lastWaitMs <= WAIT_AT_ONCE_MS) {
    fs.fsyncSync(fd);
    lastWaitMs = elapsedMs() - started;
    return undefined;
  }
  return new Promise((resolve, reject) => {
    fs.fsync(fd, (error) => {
      lastWaitMs = elapsedMs() - started;
      if (error === null) resolve();
      else reject(error);
    });
  });
}

function ifPresent<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined;
    throw error;
  }
}

function unlessImpossible(error: unknown): void {
  if (!isWithoutDirectorySync(error)) throw error;
}

/**
 * Returns milliseconds since the start of the process by a monotonic clock, for durations only. Node would load its whole performance
 * module for `performance.now()`, which takes longer than most of the work timed here.
 */
export function elapsedMs(): number {
  return process.uptime() * 1000;
}

/**
 * Returns a signature of a file that changes with the file, without following links. `undefined` when the file is missing or cannot be
 * inspected.
 */
export function signatureOf(file: string): string | undefined {
  try {
    return signatureFrom(fs.lstatSync(file, { throwIfNoEntry: false }));
  } catch {
    // A place that cannot be inspected has nothing to read.
    return undefined;
  }
}

/** Returns the signature from given stats. The content of a directory does not matter. */
export function signatureFrom(found: fs.Stats | undefined): string | undefined {
  if (found === undefined) return undefined;
  if (found.isDirectory()) return `directory ${found.ino}`;
  return `${found.isFile() ? "file" : "other"} ${found.ino} ${found.mtimeMs} ${found.size}`;
}
