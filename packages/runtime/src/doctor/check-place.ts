import fs from "node:fs";
import path from "node:path";
import { unsuitableFileSystem } from "@workrail/sqlite-fs";
import type { DoctorFinding } from "./finding.ts";
import { canBeListed } from "../can-be-listed.ts";
import { errorCode } from "../error-code.ts";

/** Enough for a save of the largest checkpoint, a compaction beside it, and SQLite's log. */
const LEAST_FREE_BYTES = 64 * 1024 * 1024;
const FEW_FREE_BYTES = 1024 * 1024 * 1024;
/** Most file names in a message. */
const MOST_NAMED = 3;

/**
 * Checks that the data directory exists and is usable. A missing one is fine: the first save creates it.
 *
 * @param readOnly the store is read-only.
 */
export function checkDataDirectory(dataDir: string, readOnly: boolean): DoctorFinding {
  const check = "data-directory";
  try {
    if (!fs.statSync(dataDir).isDirectory()) {
      return { check, ...failed(`${dataDir} is not a directory.`), hint: MOVE_FILE };
    }
    fs.accessSync(dataDir, fs.constants.R_OK | fs.constants.X_OK);
    if (readOnly) return { check, status: "ok", message: `${dataDir} can be read; the store is read-only, so nothing can be saved.` };
    fs.accessSync(dataDir, fs.constants.W_OK);
    return { check, status: "ok", message: `${dataDir} can be read and written.` };
  } catch (error) {
    if (errorCode(error) === "ENOTDIR") return { check, ...failed(`${dataDir} is inside a file.`), hint: MOVE_FILE };
    if (errorCode(error) !== "ENOENT") return { check, ...failed(`${dataDir} cannot be used: ${errorCode(error)}.`), hint: OWN };
  }
  if (readOnly) return { check, ...failed(`${dataDir} does not exist, and a read-only store is not created.`), hint: NAME_A_STORE };
  const parent = nearestDirectory(dataDir);
  try {
    fs.accessSync(parent, fs.constants.W_OK | fs.constants.X_OK);
    return { check, status: "ok", message: `${dataDir} does not exist yet: the first save creates it.` };
  } catch (error) {
    const message = `${dataDir} does not exist, and cannot be created in ${parent}: ${errorCode(error)}.`;
    return { check, ...failed(message), hint: OWN };
  }
}

const NAME_A_STORE = "Name the data directory of a store with --data-dir, or unset WORKRAIL_READ_ONLY.";
const MOVE_FILE = "Move it away, or name another directory with --data-dir.";
const OWN = "Make your user the owner of the directory, or name another one with --data-dir.";

/**
 * Checks that other users cannot read or write anything in the data directory, since they could read or change contexts.
 *
 * @param fix removes their permissions.
 */
export function checkPermissions(dataDir: string, fix: boolean): DoctorFinding {
  const check = "permissions";
  if (process.platform === "win32") return { check, status: "skipped", message: "On Windows the folder's access rules apply." };
  if (!isDirectory(dataDir)) return { check, status: "skipped", message: "There is nothing to check yet." };
  const open = [dataDir, ...within(dataDir)].filter(isOpenToOthers);
  if (open.length === 0) return { check, status: "ok", message: "Only your user can read the stored files." };
  const names = open.slice(0, MOST_NAMED).map((file) => path.relative(dataDir, file) || ".");
  const which = `${names.join(", ")}${open.length > names.length ? `, and ${open.length - names.length} more` : ""}`;
  if (!fix) {
    const message = `Others can read or write: ${which}.`;
    return { check, status: "warning", message, hint: "`workrail doctor --fix` removes their permissions.", fix: "possible" };
  }
  const failures = open.filter((file) => !isClosed(file));
  if (failures.length === 0) return { check, status: "ok", message: `Others can no longer read or write: ${which}.`, fix: "done" };
  return { check, status: "warning", message: `The permissions of others cannot be removed: ${which}.`, hint: OWN };
}

/** Checks that SQLite's faster mode is safe on the file system of the data. */
export function checkFileSystem(dataDir: string): DoctorFinding {
  const found = unsuitableFileSystem(nearestDirectory(dataDir));
  const check = "file-system";
  if (found === undefined) return { check, status: "ok", message: "The data appears to be on a local disk." };
  const message = `The data is on ${found}: SQLite is slower there, and only one machine may use it at a time.`;
  return { check, status: "warning", message, hint: "If possible, use a local disk: set --data-dir or WORKRAIL_DATA_DIR." };
}

/** Checks the free space on the disk. */
export function checkDisk(dataDir: string): DoctorFinding {
  const { bavail, bsize } = fs.statfsSync(nearestDirectory(dataDir));
  const free = bavail * bsize;
  const found = { check: "disk", message: `${Math.floor(free / 1_048_576).toLocaleString("en-US")} MiB are free on the disk.` } as const;
  const hint = "Free space on the disk; `workrail cleanup` removes old checkpoints.";
  if (free < LEAST_FREE_BYTES) return { ...found, status: "error", code: "STORAGE_UNAVAILABLE", hint };
  return free < FEW_FREE_BYTES ? { ...found, status: "warning", hint } : { ...found, status: "ok" };
}

/** Returns the directory itself, or its nearest ancestor that exists. */
export function nearestDirectory(directory: string): string {
  return isDirectory(directory) || path.dirname(directory) === directory ? directory : nearestDirectory(path.dirname(directory));
}

function within(directory: string): readonly string[] {
  return fs.readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const place = path.join(directory, entry.name);
    // Links are not followed, and their own mode means nothing.
    if (entry.isDirectory()) return [place, ...(canBeListed(place) ? within(place) : [])];
    return entry.isFile() ? [place] : [];
  });
}

function isOpenToOthers(file: string): boolean {
  return ((fs.lstatSync(file, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0;
}

function isClosed(file: string): boolean {
  try {
    fs.chmodSync(file, fs.lstatSync(file).mode & 0o700);
    return true;
  } catch (error) {
    // Another process may have removed the file.
    return errorCode(error) === "ENOENT";
  }
}

function isDirectory(file: string): boolean {
  return fs.statSync(file, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function failed(message: string): Pick<DoctorFinding, "status" | "code" | "message"> {
  return { status: "error", code: "STORAGE_UNAVAILABLE", message };
}
