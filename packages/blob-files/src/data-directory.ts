import fs from "node:fs";
import path from "node:path";
import { type Log, WorkrailError } from "@workrail/core";
import { noStore } from "./catalog-errors.ts";
import { fileError } from "./file-errors.ts";
import { hasCode, isWithoutDirectorySync } from "./error-codes.ts";
import type { FileSystem } from "./file-system.ts";
import { makeDirectories } from "./make-directories.ts";
import {
  BACKUP_MANIFEST,
  BACKUPS,
  CONFIG_FILE,
  CONTEXTS,
  DATABASE,
  SEARCH_DATABASE,
  EXPORTS,
  HOOKS,
  INCOMING,
  isReplacedStore,
  JOURNAL,
  OPEN,
  QUARANTINE,
  REDACTION_KEY,
  RESERVE,
  RESTORING,
  SETUP,
  STORE_LOCK,
  VECTORS,
} from "./paths.ts";

/**
 * Creates the data directory, owner-only, and resolves its real path once, so that a link changed later has no effect.
 *
 * An existing directory that is empty or holds nothing but a store is closed to others. One with other files is left as it is, with a
 * warning. The store's own files are always closed to others.
 *
 * @returns the real path.
 * @throws Node's errors; STORAGE_UNAVAILABLE when the path is another user's symbolic link, or a file.
 */
export function prepareDataDirectory(dataDir: string, log: Log): string {
  const wanted = path.resolve(dataDir);
  refuseFile(wanted);
  refuseForeignLink(wanted);
  const firstMade = makeDirectories(wanted);
  if (firstMade !== undefined) syncNames(firstMade, wanted);
  const real = fs.realpathSync(wanted);
  if (process.platform !== "win32") closeToOthers(real, log);
  return real;
}

/**
 * Resolves the real path of a data directory for readers, without creating or changing anything.
 *
 * @throws STORAGE_UNAVAILABLE, with the reason `no-store` when there is none; when the path is another user's symbolic link, or a file.
 */
export function findDataDirectory(dataDir: string): string {
  const wanted = path.resolve(dataDir);
  try {
    refuseFile(wanted);
    refuseForeignLink(wanted);
    return fs.realpathSync(wanted);
  } catch (error) {
    throw hasCode(error, "ENOENT", "ENOTDIR") ? noStore(wanted) : fileError(error, wanted);
  }
}

/**
 * Creates the data directory, owner-only, with missing parents.
 *
 * @returns the topmost directory that was created; `undefined` when all existed.
 * @throws Node's errors; STORAGE_UNAVAILABLE when it, or a parent, is a file.
 */
export function makeDataDirectory(dataDir: string): string | undefined {
  refuseFile(dataDir);
  return makeDirectories(dataDir);
}

function refuseFile(dataDir: string): void {
  const there = nearestThere(path.resolve(dataDir));
  if (fs.statSync(there, { throwIfNoEntry: false })?.isFile() !== true) return;
  // A common mistake is to name a file in the data directory.
  throw new WorkrailError("STORAGE_UNAVAILABLE", `The store cannot be used: ${there} is a file, and a directory is needed.`, {
    details: { reason: "wrong-kind-of-file", path: there },
    hint: "Name a directory as the data directory, or move the file away.",
  });
}

function nearestThere(place: string): string {
  return fs.existsSync(place) || path.dirname(place) === place ? place : nearestThere(path.dirname(place));
}

/** Syncs the parents, so that a power cut cannot remove the directory after a write in it was acknowledged. */
function syncNames(firstMade: string, lastMade: string): void {
  // Windows cannot open a directory.
  if (process.platform === "win32") return;
  for (let made = lastMade; made.startsWith(firstMade); made = path.dirname(made)) syncDirectory(path.dirname(made));
}

function syncDirectory(directory: string): void {
  let fd: number;
  try {
    fd = fs.openSync(directory, fs.constants.O_RDONLY);
  } catch (error) {
    // A directory may be writable but not readable; the system alone then makes the name durable.
    if (hasCode(error, "EACCES")) return;
    throw error;
  }
  try {
    fs.fsyncSync(fd);
  } catch (error) {
    if (!isWithoutDirectorySync(error)) throw error;
  } finally {
    fs.closeSync(fd);
  }
}

function refuseForeignLink(directory: string): void {
  const stats = fs.lstatSync(directory, { throwIfNoEntry: false });
  if (stats?.isSymbolicLink() !== true || process.getuid === undefined) return;
  if (stats.uid === process.getuid() || stats.uid === 0) return;
  throw new WorkrailError("STORAGE_UNAVAILABLE", "The data directory is a symbolic link of another user.", {
    details: { reason: "symbolic-link", path: directory },
    hint: "Name the directory itself, or remove the link.",
  });
}

function closeToOthers(directory: string, log: Log): void {
  const names = fs.readdirSync(directory);
  const { mode: bits, uid } = fs.statSync(directory);
  const mode = bits & 0o777;
  // The owner of the directory can always get access, whatever the modes of its content.
  const isTheirs = process.getuid !== undefined && uid !== process.getuid();
  if (isTheirs) log.warn("the data directory belongs to another user, who can read and replace what is in it", { path: directory, uid });
  if ((mode & 0o077) !== 0) {
    const isOurs = mayChange(uid) && names.every(isOurName);
    if (isOurs) fs.chmodSync(directory, 0o700);
    log.warn(isOurs ? "closed the data directory to other users" : "other users can list the data directory", {
      path: directory,
      mode: mode.toString(8),
    });
  }
  for (const name of names.filter(isOurName)) closeOwn(path.join(directory, name), log);
}

/** Tells whether this process may change the mode of a file with this owner. */
function mayChange(owner: number): boolean {
  const own = process.getuid?.();
  return own === undefined || own === 0 || own === owner;
}

function isOurName(name: string): boolean {
  const isWhole = [
    BACKUPS,
    CONFIG_FILE,
    CONTEXTS,
    EXPORTS,
    HOOKS,
    INCOMING,
    QUARANTINE,
    OPEN,
    REDACTION_KEY,
    RESERVE,
    SETUP,
    STORE_LOCK,
    DATABASE,
    JOURNAL,
    SEARCH_DATABASE,
    VECTORS,
    BACKUP_MANIFEST,
    RESTORING,
  ].includes(name);
  const isCatalog =
    [DATABASE, SEARCH_DATABASE, VECTORS].some((file) => name.startsWith(`${file}-`)) ||
    [DATABASE, JOURNAL, STORE_LOCK].some((file) => name.startsWith(`${file}.`));
  return isWhole || isCatalog || isReplacedStore(name);
}

/** Closes a file to others: a copy or a restored backup may have other permissions. */
function closeOwn(file: string, log: Log): void {
  const stats = fs.lstatSync(file, { throwIfNoEntry: false });
  // Changing the mode of a link would change its target.
  if (stats === undefined || stats.isSymbolicLink() || (stats.mode & 0o077) === 0) return;
  if (!mayChange(stats.uid)) {
    log.warn("a file of the store belongs to another user, and others can use it", { path: file, uid: stats.uid });
    return;
  }
  fs.chmodSync(file, stats.mode & 0o700);
  log.warn("closed a file of the store to other users", { path: file, mode: (stats.mode & 0o777).toString(8) });
}

/**
 * Recreates the data directory when it was removed under an open store and its parent still exists. A missing parent may be an unmounted
 * disk, which comes back.
 */
export function remakeDataDirectory(files: FileSystem, dataDir: string, log: Log): void {
  const parent = path.dirname(dataDir);
  if (files.inspect(dataDir) !== undefined || files.inspect(parent) === undefined || !files.makeDirectory(dataDir)) return;
  if (process.platform !== "win32") syncDirectory(parent);
  log.warn("the data directory was gone, and has been made again", { path: dataDir });
}

/** Creates a directory of the store unless it exists, and refuses a link, which would redirect writes. */
export function ensureOwnDirectory(files: FileSystem, directory: string): void {
  files.makeDirectory(directory);
  const kind = files.inspect(directory)?.kind;
  if (kind !== "directory" && kind !== undefined) throw planted(directory);
}

/**
 * Prepares a file that SQLite is to open: creates it owner-only, because SQLite would use the umask, and refuses a link, because SQLite
 * would follow it.
 */
export function ensureOwnFile(files: FileSystem, file: string): void {
  if (files.inspect(file) === undefined) {
    try {
      files.close(files.create(file));
    } catch (error) {
      // Another process created it first.
      if (!hasCode(error, "EEXIST")) throw error;
    }
  }
  const kind = files.inspect(file)?.kind;
  if (kind === "file" || kind === undefined) return;
  throw planted(file);
}

function planted(place: string): WorkrailError {
  return new WorkrailError(
    "STORAGE_UNAVAILABLE",
    "A symbolic link, or something else, stands where a file or a directory of the store should be.",
    {
      details: { reason: "symbolic-link", path: place },
      hint: "Move it away; links are not followed inside the data directory.",
    },
  );
}
