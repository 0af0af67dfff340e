import { readlinkSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { quickDigest } from "@workrail/core";
import { hasCode, isWithoutLinks } from "./error-codes.ts";
import type { FileSystem } from "./file-system.ts";
import { randomBytes } from "./random-bytes.ts";

/** What tells temporary files from those of others. */
interface Writer {
  /** Where its number can be asked for: this machine, or this container. */
  readonly host: string;
  /** This run, from an earlier process with the same number. */
  readonly run: string;
}

let thisWriter: Writer | undefined;
let temporaryFiles = 0;

const TEMPORARY = /^\.tmp(?:-[a-z]+)?-([0-9a-f]{8})-([0-9]+)-([0-9a-f]{8})[0-9a-f]{8}$/;
/** A temporary file of another machine, or of a process that cannot be asked, is given up after this long. */
const ABANDONED_MS = 24 * 60 * 60 * 1000;

/** `new`: the caller vouches that the name is free. `if-absent`: leave the file alone that has it. `replace`: take its place. */
export type WriteMode = "new" | "if-absent" | "replace";

/**
 * Writes a file so that its name only ever shows all of the bytes: temporary name, bytes on disk, final name, name on
 * disk. Leaves no temporary file behind when it fails.
 *
 * @returns `false`, having changed nothing, in mode `if-absent` when the name is taken.
 */
export async function writeDurably(fs: FileSystem, file: string, bytes: Uint8Array, mode: WriteMode): Promise<boolean> {
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
    // A name that nobody else can know of is taken back. Others may count on any other already.
    if (isNamed && mode === "new") tidy(fs, file);
    throw error;
  }
  return true;
}

/** After a failure: what cannot be removed now either is garbage that nothing refers to, and is collected later. */
function tidy(fs: FileSystem, file: string): void {
  try {
    fs.unlink(file);
  } catch {
    // The failure that brought us here is the one worth telling.
  }
}

/** Removes a file; one that is not there is as good as removed. */
export function removeIfPresent(fs: FileSystem, file: string): void {
  try {
    fs.unlink(file);
  } catch (error) {
    if (!hasCode(error, "ENOENT")) throw error;
  }
}

/** Overwritten at once: a blob may be large. */
const ZEROS = new Uint8Array(64 * 1024);

/**
 * Removes a file once its bytes are overwritten on the disk. Interrupted, it is there, and done again; its removal is durable
 * when its directory is synced. What is no file, such as a link, is left alone. What has another name is somebody's file under that:
 * only this name goes. A temporary name beside it is no such name: it was being given its own when its writer died.
 *
 * @returns whether there was such a file.
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

/** Other names of a file, in its directory, that are temporary ones. */
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
 * Moves a file to a name that is free: the one given, or else that with a number behind it. Only for names that nobody
 * else gives at the same time.
 *
 * @returns the name it has now, on disk; `undefined` when there is no such file.
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

/** Whether a name is that of a temporary file, or of a temporary directory for a purpose, whose writer is gone. */
export function isAbandoned(fs: FileSystem, directory: string, name: string, now: Date): boolean {
  const match = TEMPORARY.exec(name);
  if (match === null) return false;
  const [, host, pid, run] = match;
  const own = writer();
  if (host === own.host && Number(pid) !== process.pid) return !isAlive(Number(pid));
  if (host === own.host && run === own.run) return false;
  // Also of our own number, which in containers is that of others at the same time.
  const found = fs.inspect(path.join(directory, name));
  return found !== undefined && now.getTime() - found.modifiedAt.getTime() > ABANDONED_MS;
}

/** Whether a name is that of a temporary file, whoever writes or wrote it. */
export function isTemporary(name: string): boolean {
  return TEMPORARY.test(name);
}

/** @param purpose letters that say in the name what it is for. */
export function temporaryName(directory: string, purpose?: string): string {
  temporaryFiles = (temporaryFiles + 1) >>> 0;
  const { host, run } = writer();
  const unique = run + temporaryFiles.toString(16).padStart(8, "0");
  return path.join(directory, `.tmp${purpose === undefined ? "" : `-${purpose}`}-${host}-${process.pid}-${unique}`);
}

/** Determined on first use. */
function writer(): Writer {
  thisWriter ??= {
    host: quickDigest(Buffer.from(`${os.hostname()} ${processNamespace()}`)).slice(0, 8),
    run: randomBytes(4).toString("hex"),
  };
  return thisWriter;
}

/** Linux: processes of another one have numbers of their own, in a container or a sandbox, whose name may be that of its host. */
function processNamespace(): string {
  try {
    return process.platform === "linux" ? readlinkSync("/proc/self/ns/pid") : "";
  } catch {
    // Without /proc nothing tells them apart but the name.
    return "";
  }
}

/** Whether such a process is there, ours or another user's. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Another user's process may not be signalled, but it is there.
    return hasCode(error, "EPERM");
  }
}

/** Writes all of the bytes, in as many pieces as that takes. They are not durable before the descriptor is synced. */
export function writeAll(fs: FileSystem, fd: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length;) {
    const count = fs.write(fd, written === 0 ? bytes : bytes.subarray(written));
    if (count === 0) throw Object.assign(new Error("ENOSPC: nothing could be written"), { code: "ENOSPC" });
    written += count;
  }
}

/** Gives the file its name only if that is free. Not every file system has links: there a look must do. */
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
