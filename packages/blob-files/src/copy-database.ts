import fs from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { WorkrailError } from "@workrail/core";
import { elapsedMs } from "./elapsed-ms.ts";
import { fileError } from "./file-errors.ts";
import { hasCode } from "./error-codes.ts";

const PAUSE_MS = 20;
const ATTEMPTS = 5;
/** Of a write-ahead log: whoever begins it anew gives it another. */
const LOG_HEADER_BYTES = 32;
/** What SQLite may need beside a database: of its two journals, the one in use. Memory that processes share is not for copying. */
const BESIDE = ["-wal", "-journal"] as const;

/**
 * Copies a database that others may be writing to, as it was at one moment, and touches nothing of it: no lock is taken, and
 * nothing is opened through SQLite, which would write beside it. There need not be one.
 *
 * The database is copied before its log. Whatever of the log was moved into the database by then is still in the log, unless
 * that was begun anew meanwhile: then, or when a journal came or went, it is copied once more. The copy's own recovery does the rest.
 *
 * @throws LOCK_TIMEOUT when it never stands still for long enough; STORAGE_UNAVAILABLE.
 */
export async function copyDatabase(from: string, to: string, waitMs: number): Promise<void> {
  const deadline = elapsedMs() + waitMs;
  while (!copyOnce(from, to)) {
    if (elapsedMs() > deadline) throw restless(from);
    await sleep(PAUSE_MS * (0.5 + Math.random()));
  }
}

/** The same without waiting, for a database that can be made again. `false`, and nothing is there, when it does not stand still. */
export function copyDatabaseNow(from: string, to: string): boolean {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) if (copyOnce(from, to)) return true;
  for (const file of filesOfDatabase(to)) fs.rmSync(file, { force: true });
  return false;
}

/** Copies a file that is there, owner-only; one that is no file is left alone. `false` when there is none. */
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

/** Tells one state of files from another, as far as the file system does; whether they are there is a part of it. */
export function stampOf(files: readonly string[]): string {
  return files.map((file) => stampOfFile(file)).join(" ");
}

/** What was changed so short a time ago may be changed again without its time telling. */
const UNSURE_MS = 50;
/** The same where times are told in whole seconds, or, on FAT, in every other one. */
const COARSELY_UNSURE_MS = 2_000;
const SECOND_NS = 1_000_000_000n;

/** Whether the next change of any of them will show in their stamp: not when one was changed just now. */
export function mayTellChanges(files: readonly string[], now: number = Date.now()): boolean {
  return files.every((file) => {
    const found = lstat(file);
    if (found === undefined) return true;
    const unsureMs = found.mtimeNs % SECOND_NS === 0n ? COARSELY_UNSURE_MS : UNSURE_MS;
    return Math.abs(now - Number(found.mtimeMs)) > unsureMs;
  });
}

/** What a copy of a database is made of, with the database. */
export function filesOfDatabase(file: string): readonly string[] {
  return [file, ...BESIDE.map((suffix) => file + suffix)];
}

function copyOnce(from: string, to: string): boolean {
  for (const file of filesOfDatabase(to)) fs.rmSync(file, { force: true });
  const before = journalsOf(from);
  const stamp = stampOfFile(from);
  for (const suffix of ["", ...BESIDE]) copyPlainFile(from + suffix, to + suffix);
  if (journalsOf(from) !== before) return false;
  // Without a journal only the database itself tells that somebody came and went.
  return before !== NO_JOURNALS || stampOfFile(from) === stamp;
}

const NO_JOURNALS = " ";

/** Which journals there are: of a write-ahead log its header, of the other kind which file it is. */
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
    hint: "Try again when less is being saved.",
  });
}
