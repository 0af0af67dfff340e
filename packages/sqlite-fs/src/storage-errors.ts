import { fileError, type StorageFailure, storageUnavailable } from "@workrail/blob-files";
import { isWorkrailError, WorkrailError } from "@workrail/core";

/** What a failed database operation means, by the code of SQLite. */
const REASONS: readonly (readonly [pattern: RegExp, reason: StorageFailure["reason"]])[] = [
  // The memory that processes share is a file, which could not be made as large as is needed.
  [/^(SQLITE_FULL|SQLITE_IOERR_SHMSIZE)/, "disk-full"],
  [/^(SQLITE_PERM|SQLITE_AUTH)/, "not-permitted"],
  [/^SQLITE_READONLY/, "read-only"],
  [/^(SQLITE_CORRUPT|SQLITE_NOTADB)/, "catalog-damaged"],
  [/^SQLITE_CANTOPEN/, "cannot-open"],
  [/^SQLITE_IOERR/, "input-output"],
];

/** Translates an error of SQLite or of the file system; a `WorkrailError`, and a bug's `TypeError`, pass as they are. */
export function storageError(error: unknown, path?: string): unknown {
  if (isWorkrailError(error) || !(error instanceof Error) || !("code" in error)) return error;
  const code = String(error.code);
  if (/^SQLITE_(BUSY|LOCKED)/.test(code)) return lockTimeout(error);
  const [, reason] = REASONS.find(([pattern]) => pattern.test(code)) ?? [];
  return reason === undefined ? fileError(error, path) : storageUnavailable({ reason, code, path, cause: error });
}

/** Somebody else kept the write lock for longer than we may wait. */
function lockTimeout(cause?: unknown): WorkrailError {
  return new WorkrailError("LOCK_TIMEOUT", "The store stayed locked by another writer.", {
    hint: "Try again; if it persists, see which process keeps the store busy.",
    cause,
  });
}

/** What SQLite would throw if it could see that a database is not as we write it. `storageError` translates it like SQLite's own. */
export function databaseDamaged(message: string, cause?: unknown): Error {
  return Object.assign(new Error(message, { cause }), { code: "SQLITE_CORRUPT" });
}
