import { fileError, type StorageFailure, storageUnavailable } from "@workrail/blob-files";
import { isWorkrailError, WorkrailError } from "@workrail/core";

/** Reasons of failed database operations, by SQLite's error codes. */
const REASONS: readonly (readonly [pattern: RegExp, reason: StorageFailure["reason"]])[] = [
  // Shared memory is a file, which could not be grown to the size that is needed.
  [/^(SQLITE_FULL|SQLITE_IOERR_SHMSIZE)/, "disk-full"],
  [/^(SQLITE_PERM|SQLITE_AUTH)/, "not-permitted"],
  [/^SQLITE_READONLY/, "read-only"],
  [/^(SQLITE_CORRUPT|SQLITE_NOTADB)/, "catalog-damaged"],
  [/^SQLITE_CANTOPEN/, "cannot-open"],
  [/^SQLITE_IOERR/, "input-output"],
];

/** Translates an error of SQLite or of the file system. A `WorkrailError`, and a `TypeError` of a bug, pass unchanged. */
export function storageError(error: unknown, path?: string): unknown {
  if (isWorkrailError(error) || !(error instanceof Error) || !("code" in error)) return error;
  const code = String(error.code);
  if (/^SQLITE_(BUSY|LOCKED)/.test(code)) return lockTimeout(error);
  const [, reason] = REASONS.find(([pattern]) => pattern.test(code)) ?? [];
  return reason === undefined ? fileError(error, path) : storageUnavailable({ reason, code, path, cause: error });
}

/** Error for a write lock that another writer kept longer than `lockWaitMs`. */
function lockTimeout(cause?: unknown): WorkrailError {
  return new WorkrailError("LOCK_TIMEOUT", "The store stayed locked by another writer.", {
    hint: "Try again. If it persists, find the process that keeps the store busy.",
    cause,
  });
}

/** Error for damage that SQLite itself does not detect. `storageError` translates it like SQLite's own, because the code is the same. */
export function databaseDamaged(message: string, cause?: unknown): Error {
  return Object.assign(new Error(message, { cause }), { code: "SQLITE_CORRUPT" });
}
