import fs from "node:fs";
import { elapsedMs } from "./elapsed-ms.ts";
import { hasCode, isWithoutDirectorySync } from "./error-codes.ts";
import { patiently } from "./patiently.ts";

/**
 * The file operations that durability hangs on, one method for each, so that a test can fail or kill at any of them.
 * What only touches the page cache is synchronous, for a thread hop costs more than the call; what waits for the
 * disk need not be, so that the event loop stays free. Errors are Node's own.
 */
export interface FileSystem {
  /** Creates a file that must not exist, owner-only, following no symbolic link. Returns its descriptor. */
  create(path: string): number;
  /** Opens a file to write behind its last byte, following no symbolic link; fails when it is not there. Returns its descriptor. */
  append(path: string): number;
  /** Opens a file to write over its bytes from the first one on, following no symbolic link; fails when it is not there. Returns its descriptor. */
  overwrite(path: string): number;
  /** Writes some of the bytes, like `write(2)`; returns how many. */
  write(fd: number, bytes: Uint8Array): number;
  /** When it returns, or what it returns resolves, the file's bytes are on the disk. */
  sync(fd: number): Promise<void> | void;
  close(fd: number): void;
  /** Replaces `to`, if it exists, atomically. */
  rename(from: string, to: string): void;
  /** Gives the file a second name; fails with EEXIST when that is taken. */
  link(from: string, to: string): void;
  unlink(path: string): void;
  /** Likewise for names made, changed or removed in a directory. */
  syncDirectory(path: string): Promise<void> | void;
  /** Whole, following no symbolic link; `undefined` when there is no such file. */
  read(path: string): Promise<Uint8Array> | Uint8Array | undefined;
  /** Creates one directory, owner-only; `false` when something is there already. */
  makeDirectory(path: string): boolean;
  /** What the path itself names, links not followed; `undefined` when nothing. */
  inspect(path: string): FileInspection | undefined;
  /** Names in a directory; none when there is no such directory. */
  list(path: string): readonly string[];
  /** How much this user may still write on the disk of a directory. */
  freeBytes(path: string): number;
}

export interface FileInspection {
  readonly kind: "file" | "directory" | "other";
  readonly sizeBytes: number;
  readonly modifiedAt: Date;
  /** Tells two files of one name apart. */
  readonly identity: string;
  /** How many names it has: 1 unless there are hard links to it. */
  readonly names: number;
}

// Windows has no such flag, and asks for a privilege before anybody can plant a link there.
const NO_FOLLOW = (fs.constants as { O_NOFOLLOW?: number }).O_NOFOLLOW ?? 0;
// A pipe that was put into a directory must not be waited for. Windows has none there.
const { O_NONBLOCK: WITHOUT_WAITING = 0, O_DIRECTORY: DIRECTORY = 0 } = fs.constants as Partial<typeof fs.constants>;
const CREATE = fs.constants.O_WRONLY | fs.constants.O_CREAT | fs.constants.O_EXCL | NO_FOLLOW;
const APPEND = fs.constants.O_WRONLY | fs.constants.O_APPEND | NO_FOLLOW;
/** Larger files are read without blocking the event loop. */
const READ_AT_ONCE_BYTES = 256 * 1024;
/** A disk that takes no longer is waited for in place: another thread, and being woken by it, would cost as much. */
const WAIT_AT_ONCE_MS = 1;

export const nodeFileSystem: FileSystem = {
  create: (path) => fs.openSync(path, CREATE, 0o600),
  append: (path) => patiently(() => fs.openSync(path, APPEND)),
  overwrite: (path) => patiently(() => fs.openSync(path, fs.constants.O_WRONLY | NO_FOLLOW)),
  write: (fd, bytes) => fs.writeSync(fd, bytes),
  sync: (fd) => onDisk(fd),
  close: (fd) => fs.closeSync(fd),
  rename: (from, to) => patiently(() => fs.renameSync(from, to)),
  link: (from, to) => fs.linkSync(from, to),
  unlink: (path) => patiently(() => fs.unlinkSync(path)),

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
    const fd = ifPresent(() => patiently(() => fs.openSync(path, fs.constants.O_RDONLY | NO_FOLLOW | WITHOUT_WAITING)));
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

/** What the disk took last: the best guess at what it takes next. */
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
