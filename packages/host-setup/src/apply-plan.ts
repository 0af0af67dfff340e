import fs from "node:fs";
import path from "node:path";
import { fileError, hasCode, nodeFileSystem, temporaryName } from "@workrail/blob-files";
import { WorkrailError } from "@workrail/core";
import type { SetupScope } from "./host-definition.ts";
import type { SetupPlan } from "./plan-setup.ts";
import { readHostFile } from "./read-host-file.ts";
import type { FileChange } from "./setup-change.ts";
import { digestOf, originalOf, type SetupRecord, type SetupRecords } from "./setup-records.ts";
import { undoOf } from "./undo-edits.ts";

const WRITABLE = 0o222;
/** Mode of a new file: only the owner reads settings of a person; everybody reads files of a project. */
const NEW_FILE_MODE: Readonly<Record<SetupScope, number>> = { user: 0o600, project: 0o644 };

/**
 * Writes the changes of a set-up. Each file is replaced atomically, after a record of its old content was written.
 *
 * @throws CONFLICT when a file changed after the plan was made; INVALID_INPUT when a file is read-only; STORAGE_UNAVAILABLE
 *   when the file or the record cannot be written.
 */
export async function applySetup({ changes, scope }: SetupPlan, records: SetupRecords): Promise<void> {
  for (const change of changes) {
    refuseUnlessWritable(change);
    const { target, before, after = "", original } = change;
    const earlier = records.get(target);
    const isOurs = earlier !== undefined && before !== undefined && earlier.digest === digestOf(before);
    const first = isOurs ? originalOf(earlier, before) : original;
    const made = isOurs ? earlier.made : missingAbove(path.dirname(target));
    await records.put({ version: 1, file: target, digest: digestOf(after), undo: first === undefined ? null : undoOf(first, after), made });
    write(change, after, scope);
  }
}

/**
 * Undoes a set-up and removes its records. A file that keeps some of our entries keeps its record.
 *
 * @throws like `applySetup`.
 */
export async function applyRemoval({ changes, scope }: SetupPlan, records: SetupRecords, isPartial = false): Promise<void> {
  // In reverse order, because a directory that was made for one file can hold later files.
  for (const change of changes.toReversed()) {
    refuseUnlessWritable(change);
    const { target, before = "", after } = change;
    const record = records.get(target);
    const isOurs = record !== undefined && record.digest === digestOf(before);
    if (after === undefined) removeFile(change, record?.made ?? []);
    else write(change, after, scope);
    if (isPartial && isOurs && after !== undefined) await records.put(recordOfRest(record, before, after));
    else records.delete(target);
  }
}

function refuseUnlessWritable({ file, target, before }: FileChange): void {
  if (before === undefined) return;
  const stats = fs.statSync(target, { throwIfNoEntry: false });
  if (stats === undefined || (stats.mode & WRITABLE) !== 0) return;
  throw new WorkrailError("INVALID_INPUT", `${file} is read-only and was not changed.`, {
    details: { file },
    hint: "Make it writable, or add the entries by hand.",
  });
}

/** The record of a file that keeps a part of our entries. */
function recordOfRest(record: SetupRecord, before: string, after: string): SetupRecord {
  const first = originalOf(record, before);
  return { ...record, digest: digestOf(after), undo: first === undefined ? null : undoOf(first, after) };
}

function refuseIfChanged({ file, target, before }: FileChange): void {
  const now = readHostFile(file);
  if (now.target === target && now.text === before) return;
  throw new WorkrailError("CONFLICT", `${file} changed meanwhile, so nothing was written to it.`, {
    details: { file },
    hint: "Run the command again.",
  });
}

/** Replaces the file after all bytes are on disk, and keeps its mode and owner. */
function write(change: FileChange, text: string, scope: SetupScope): void {
  const { target } = change;
  try {
    fs.mkdirSync(path.dirname(target), { recursive: true });
    const there = fs.statSync(target, { throwIfNoEntry: false });
    const temporary = temporaryName(path.dirname(target));
    try {
      fs.writeFileSync(temporary, text, { mode: 0o600, flag: "wx", flush: true });
      fs.chmodSync(temporary, there === undefined ? NEW_FILE_MODE[scope] : there.mode & 0o7777);
      if (there !== undefined) keepOwner(temporary, there);
      refuseIfChanged(change);
      nodeFileSystem.rename(temporary, target);
    } catch (error) {
      fs.rmSync(temporary, { force: true });
      throw error;
    }
  } catch (error) {
    throw fileError(error, target);
  }
}

/** Gives the file back to its owner. Only root can replace another user's file. */
function keepOwner(temporary: string, { uid, gid }: fs.Stats): void {
  if (process.getuid?.() === 0) fs.chownSync(temporary, uid, gid);
}

function removeFile(change: FileChange, made: readonly string[]): void {
  refuseIfChanged(change);
  try {
    fs.rmSync(change.target);
    for (const directory of made) fs.rmdirSync(directory);
  } catch (error) {
    // The directory is no longer empty, or was removed.
    if (!hasCode(error, "ENOTEMPTY", "EEXIST", "ENOENT")) throw fileError(error, change.target);
  }
}

/** The missing directories of a path, the innermost first. */
function missingAbove(directory: string): readonly string[] {
  if (fs.existsSync(directory) || path.dirname(directory) === directory) return [];
  return [directory, ...missingAbove(path.dirname(directory))];
}
