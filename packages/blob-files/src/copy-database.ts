import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { WorkrailError } from "@workrail/core";
import { elapsedMs } from "./file-system.ts";
import { fileError } from "./file-errors.ts";
import { hasCode } from "./error-codes.ts";

const PAUSE_MS = 20;
const ATTEMPTS = 5;
/** Size of the header of a write-ahead log. A restarted log gets a new header. */
const LOG_HEADER_BYTES = 32;
/** Files that SQLite needs beside a database: the journal in use, of either kind. Shared memory is not copied. */
const BESIDE = ["-wal", "-journal"] as const;

/**
 * Copies a database at one moment while others may write to it, without touching it: takes no lock, and does not open it with SQLite, which
 * would write beside it. The database may be missing.
 *
 * The database is copied before its log. Pages moved from the log to the database by then are still in the log, unless the log was
 * restarted meanwhile; in that case, or when a journal appeared or vanished, everything is copied again. SQLite's recovery of the copy does
 * the rest.
 *
 * @throws LOCK_TIMEOUT when the database never rests for long enough; STORAGE_UNAVAILABLE.
 */
export async function copyDatabase(from: string, to: string, waitMs: number): Promise<void> {
  const deadline = elapsedMs() + waitMs;
  while (!copyOnce(from, to)) {
    if (elapsedMs() > deadline) throw restless(from);
    await sleep(PAUSE_MS * (0.5 + Math.random()));
  }
}

/** Copies without waiting, for a database that can be rebuilt. Returns `false`, and leaves nothing, when the database does not rest. */
export function copyDatabaseNow(from: string, to: string): boolean {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) if (copyOnce(from, to)) return true;
  for (const file of filesOfDatabase(to)) fs.rmSync(file, { force: true });
  return false;
}

/** Copies a regular file, owner-only; ignores anything else. Returns `false` when there is no file. */
export function copyPlainFile(from: string, to: string): boolean {
  try {
    if (fs.lstatSync(from, { throwIfNoEntry: false })?.isFile() !== true) return false;
    fs.copyFileSync(from, to, fs.constants.COPYFILE_FICLONE);
    fs.chmodSync(to, 0o600);
    return true;
  } catch (error) {
    if (hasCode(error, "ENOENT")) return false;
    throw fileError(error, from);
  }
}

/** Returns a stamp that distinguishes states of files, including missing ones, as far as the file system allows. */
export function stampOf(files: readonly string[]): string {
  return files.map((file) => stampOfFile(file)).join(" ");
}

/** A file changed within this time may change again without a new modification time. */
const UNSURE_MS = 50;
/** The same for file systems with times in whole seconds, or, on FAT, two seconds. */
const COARSELY_UNSURE_MS = 2_000;
const SECOND_NS = 1_000_000_000n;

/** Tells whether the next change of any of the files is certain to change their stamp. False when one was changed just now. */
export function hasReliableStamp(files: readonly string[], now: number = Date.now()): boolean {
  return files.every((file) => {
    const found = lstat(file);
    if (found === undefined) return true;
    const unsureMs = found.mtimeNs % SECOND_NS === 0n ? COARSELY_UNSURE_MS : UNSURE_MS;
    return Math.abs(now - Number(found.mtimeMs)) > unsureMs;
  });
}

/** Returns the files that make up a database. */
export function filesOfDatabase(file: string): readonly string[] {
  return [file, ...BESIDE.map((suffix) => file + suffix)];
}

function copyOnce(from: string, to: string): boolean {
  for (const file of filesOfDatabase(to)) fs.rmSync(file, { force: true });
  const before = journalsOf(from);
  const stamp = stampOfFile(from);
  for (const suffix of ["", ...BESIDE]) copyPlainFile(from + suffix, to + suffix);
  if (journalsOf(from) !== before) return false;
  // Without a journal only the database itself reveals a write.
  return before !== NO_JOURNALS || stampOfFile(from) === stamp;
}

const NO_JOURNALS = " ";

/** Returns the state of the journals: the header of a write-ahead log, the identity of a rollback journal. */
function journalsOf(database: string): string {
  const journal = lstat(`${database}-journal`);
  return `${headerOf(`${database}-wal`)} ${journal === undefined ? "" : `${journal.dev}:${journal.ino}`}`;
}

function headerOf(log: string): string {
  let fd: number;
  try {
    fd = fs.openSync(log, fs.constants.O_RDONLY);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return "";
    throw fileError(error, log);
  }
  try {
    const header = Buffer.alloc(LOG_HEADER_BYTES);
    return header.subarray(0, fs.readSync(fd, header, 0, LOG_HEADER_BYTES, 0)).toString("hex");
  } finally {
    fs.closeSync(fd);
  }
}

function stampOfFile(file: string): string {
  const found = lstat(file);
  return found === undefined ? "-" : [found.dev, found.ino, found.size, found.mtimeNs, found.ctimeNs].join(":");
}

function lstat(file: string): fs.BigIntStats | undefined {
  try {
    return fs.lstatSync(file, { throwIfNoEntry: false, bigint: true });
  } catch (error) {
    throw fileError(error, path.dirname(file));
  }
}

function restless(file: string): WorkrailError {
  return new WorkrailError("LOCK_TIMEOUT", "The catalog is changed so often that no copy of it can be made.", {
    details: { path: file },
    hint: "Try again when fewer saves run.",
  });
}
