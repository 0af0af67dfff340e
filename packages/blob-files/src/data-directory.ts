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
 * Makes the data directory, owner-only, and resolves what its path really names, once, so that a link changed later
 * leads nobody elsewhere. An existing directory with nothing in it but a store, or with nothing at all, is closed to
 * others; one that also holds other things is left as it is, with a warning. Of the store's own files in it all are closed.
 *
 * @returns the real path.
 * @throws Node's errors; STORAGE_UNAVAILABLE when the path is another user's symbolic link, or a file's.
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
 * What the path of a data directory really names, for those who only read: nothing is made, and nothing is changed.
 *
 * @throws STORAGE_UNAVAILABLE, with the reason `no-store` where there is none; when the path is another user's symbolic link, or a file's.
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
 * Makes the data directory, owner-only, and those above it that are missing.
 *
 * @returns the topmost that was made; `undefined` when all were there.
 * @throws Node's errors; STORAGE_UNAVAILABLE when it, or one above it, is a file.
 */
export function makeDataDirectory(dataDir: string): string | undefined {
  refuseFile(dataDir);
  return makeDirectories(dataDir);
}

function refuseFile(dataDir: string): void {
  const there = nearestThere(path.resolve(dataDir));
  if (fs.statSync(there, { throwIfNoEntry: false })?.isFile() !== true) return;
  // Somebody who names the data directory easily names a file in it.
  throw new WorkrailError("STORAGE_UNAVAILABLE", `The store cannot be used: ${there} is a file, and a directory is needed.`, {
    details: { reason: "wrong-kind-of-file", path: there },
    hint: "Name a directory as the data directory, or move the file away.",
  });
}

function nearestThere(place: string): string {
  return fs.existsSync(place) || path.dirname(place) === place ? place : nearestThere(path.dirname(place));
}

/** A power cut must not take the directory away once something in it was acknowledged. */
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
    // One may be allowed to make names in a directory and not to read it; then the system alone sees to it.
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
  // Whoever owns it can always let themselves in, whatever the modes of what is in it.
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

/** Whether the modes of what a user owns are ours to change. */
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

/** A copy or a backup may have come back with other permissions. */
function closeOwn(file: string, log: Log): void {
  const stats = fs.lstatSync(file, { throwIfNoEntry: false });
  // Changing the mode of a link would change that of what it names.
  if (stats === undefined || stats.isSymbolicLink() || (stats.mode & 0o077) === 0) return;
  if (!mayChange(stats.uid)) {
    log.warn("a file of the store belongs to another user, and others can use it", { path: file, uid: stats.uid });
    return;
  }
  fs.chmodSync(file, stats.mode & 0o700);
  log.warn("closed a file of the store to other users", { path: file, mode: (stats.mode & 0o777).toString(8) });
}

/**
 * Makes the data directory again when it was removed from under an open store, and its parent is still there: where that is gone
 * too it may be a whole disk, which comes back.
 */
export function remakeDataDirectory(files: FileSystem, dataDir: string, log: Log): void {
  const parent = path.dirname(dataDir);
  if (files.inspect(dataDir) !== undefined || files.inspect(parent) === undefined || !files.makeDirectory(dataDir)) return;
  if (process.platform !== "win32") syncDirectory(parent);
  log.warn("the data directory was gone, and has been made again", { path: dataDir });
}

/** Makes a directory of the store unless it is there, and makes sure that it is one: whoever follows a link writes elsewhere. */
export function ensureOwnDirectory(files: FileSystem, directory: string): void {
  files.makeDirectory(directory);
  const kind = files.inspect(directory)?.kind;
  if (kind !== "directory" && kind !== undefined) throw planted(directory);
}

/**
 * Makes sure of a file that SQLite is to open: owner-only from the start, because SQLite would create it by the umask,
 * and itself, because SQLite would follow a link.
 */
export function ensureOwnFile(files: FileSystem, file: string): void {
  if (files.inspect(file) === undefined) {
    try {
      files.close(files.create(file));
    } catch (error) {
      // Another process that starts with us was faster.
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
