import { readlinkSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { quickDigest } from "@workrail/core";
import { hasCode, isWithoutLinks } from "./error-codes.ts";
import type { FileSystem } from "./file-system.ts";
import { randomBytes } from "./random-bytes.ts";

/** Identifies the writer of a temporary file. */
interface Writer {
  /** Where the process id is valid: this machine, or this container. */
  readonly host: string;
  /** Distinguishes this run from an earlier process with the same id. */
  readonly run: string;
}

let thisWriter: Writer | undefined;
let temporaryFiles = 0;

const TEMPORARY = /^\.tmp(?:-[a-z]+)?-([0-9a-f]{8})-([0-9]+)-([0-9a-f]{8})[0-9a-f]{8}$/;
/** Age at which a temporary file of another machine, or of a process that cannot be checked, counts as abandoned. */
const ABANDONED_MS = 24 * 60 * 60 * 1000;

/** `new`: the caller guarantees that the name is free. `if-absent`: keeps an existing file. `replace`: replaces it. */
export type WriteMode = "new" | "if-absent" | "replace";

interface DurableWrite {
  readonly bytes: Uint8Array;
  readonly mode: WriteMode;
}

/**
 * Writes a file atomically and durably: temporary name, fsync, final name, fsync of the directory. Leaves no temporary file after a
 * failure.
 *
 * @returns `false`, with nothing changed, in mode `if-absent` when the name is taken.
 */
export async function writeDurably(fs: FileSystem, file: string, { bytes, mode }: DurableWrite): Promise<boolean> {
  const temporary = temporaryName(path.dirname(file));
  const fd = fs.create(temporary);
  let isNamed = false;
  try {
    try {
      writeAll(fs, fd, bytes);
      await fs.sync(fd);
    } finally {
      fs.close(fd);
    }
    if (mode !== "if-absent") fs.rename(temporary, file);
    else if (!claimName(fs, temporary, file)) return false;
    isNamed = true;
    await fs.syncDirectory(path.dirname(file));
  } catch (error) {
    tidy(fs, temporary);
    // A name that no other process can know is removed again. Others may already rely on any other name.
    if (isNamed && mode === "new") tidy(fs, file);
    throw error;
  }
  return true;
}

/** Removes a file after a failure. A file that cannot be removed is unreferenced garbage, collected later. */
function tidy(fs: FileSystem, file: string): void {
  try {
    fs.unlink(file);
  } catch {
    // The original error is the one to report.
  }
}

/** Removes a file; a missing file is not an error. */
export function removeIfPresent(fs: FileSystem, file: string): void {
  try {
    fs.unlink(file);
  } catch (error) {
    if (!hasCode(error, "ENOENT")) throw error;
  }
}

/** Chunk for overwriting, since a blob may be large. */
const ZEROS = new Uint8Array(64 * 1024);

/**
 * Overwrites a file on disk and removes it. Repeatable after an interruption. The removal is durable once the directory is synced.
 *
 * Anything but a regular file, such as a link, is left alone. A file with another hard link may be in use under that name: only this name
 * is removed. A temporary name beside it does not count: its writer died while naming the file.
 *
 * @returns whether the file existed.
 */
export async function overwriteAndRemove(fs: FileSystem, file: string): Promise<boolean> {
  let found = fs.inspect(file);
  if (found?.kind !== "file") return false;
  if (found.names > 1) {
    removeTemporaryNames(fs, file, found.identity);
    found = fs.inspect(file);
  }
  if (found?.names === 1) await overwrite(fs, file, found.sizeBytes);
  removeIfPresent(fs, file);
  return true;
}

/** Removes the temporary names of a file in its directory. */
function removeTemporaryNames(fs: FileSystem, file: string, identity: string): void {
  const directory = path.dirname(file);
  for (const name of fs.list(directory).filter((each) => isTemporary(each) && each !== path.basename(file))) {
    const temporary = path.join(directory, name);
    if (fs.inspect(temporary)?.identity === identity) removeIfPresent(fs, temporary);
  }
}

async function overwrite(fs: FileSystem, file: string, sizeBytes: number): Promise<void> {
  const fd = fs.overwrite(file);
  try {
    for (let left = sizeBytes; left > 0;) left -= fs.write(fd, ZEROS.subarray(0, Math.min(left, ZEROS.length)));
    await fs.sync(fd);
  } finally {
    fs.close(fd);
  }
}

/**
 * Moves a file to a free name: the given one, or that one with a number appended. Only for names that no other process assigns at the same time.
 *
 * @returns the new name, durable; `undefined` when there is no such file.
 */
export async function moveAside(fs: FileSystem, from: string, to: string): Promise<string | undefined> {
  if (fs.inspect(from) === undefined) return undefined;
  let free = to;
  for (let number = 1; fs.inspect(free) !== undefined; number++) free = `${to}.${number}`;
  fs.rename(from, free);
  await fs.syncDirectory(path.dirname(free));
  await fs.syncDirectory(path.dirname(from));
  return free;
}

/** Tells by its name whether a file or directory is temporary and its writer has ended. */
export function isAbandoned(fs: FileSystem, file: string, now: Date): boolean {
  const match = TEMPORARY.exec(path.basename(file));
  if (match === null) return false;
  const [, host, pid, run] = match;
  const own = writer();
  if (host === own.host && Number(pid) !== process.pid) return !isAlive(Number(pid));
  if (host === own.host && run === own.run) return false;
  // Also for our own process id, which other containers may use at the same time.
  const found = fs.inspect(file);
  return found !== undefined && now.getTime() - found.modifiedAt.getTime() > ABANDONED_MS;
}

/** Tells whether a name is that of a temporary file of any writer. */
export function isTemporary(name: string): boolean {
  return TEMPORARY.test(name);
}

/** @param purpose letters in the name that tell its purpose. */
export function temporaryName(directory: string, purpose?: string): string {
  temporaryFiles = (temporaryFiles + 1) >>> 0;
  const { host, run } = writer();
  const unique = run + temporaryFiles.toString(16).padStart(8, "0");
  return path.join(directory, `.tmp${purpose === undefined ? "" : `-${purpose}`}-${host}-${process.pid}-${unique}`);
}

/** Returns the identity of this process, determined on first use. */
function writer(): Writer {
  thisWriter ??= {
    host: quickDigest(Buffer.from(`${os.hostname()} ${processNamespace()}`)).slice(0, 8),
    run: randomBytes(4).toString("hex"),
  };
  return thisWriter;
}

/** Returns the process namespace on Linux: containers and sandboxes have their own process ids, but may have the host's name. */
function processNamespace(): string {
  try {
    return process.platform === "linux" ? readlinkSync("/proc/self/ns/pid") : "";
  } catch {
    // Without /proc only the host name distinguishes them.
    return "";
  }
}

/** Tells whether a process exists, of this user or another. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Another user's process may not be signalled, but exists.
    return hasCode(error, "EPERM");
  }
}

/** Writes all bytes, in as many pieces as needed. They are durable once the descriptor is synced. */
export function writeAll(fs: FileSystem, fd: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length;) {
    const count = fs.write(fd, written === 0 ? bytes : bytes.subarray(written));
    if (count === 0) throw Object.assign(new Error("ENOSPC: nothing could be written"), { code: "ENOSPC" });
    written += count;
  }
}

/** Names the file only if the name is free. Falls back to a check on file systems without links. */
function claimName(fs: FileSystem, temporary: string, file: string): boolean {
  try {
    fs.link(temporary, file);
  } catch (error) {
    if (hasCode(error, "EEXIST")) {
      removeIfPresent(fs, temporary);
      return false;
    }
    if (!isWithoutLinks(error)) throw error;
    if (fs.inspect(file) !== undefined) {
      removeIfPresent(fs, temporary);
      return false;
    }
    fs.rename(temporary, file);
    return true;
  }
  removeIfPresent(fs, temporary);
  return true;
}
