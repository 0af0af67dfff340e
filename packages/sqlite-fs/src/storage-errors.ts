import { isWorkrailError, WorkrailError } from "@workrail/core";

/** What a failed file or database operation means, by the code of Node or of SQLite. */
const REASONS: readonly (readonly [pattern: RegExp, reason: string, hint: string])[] = [
  [/^(ENOSPC|EDQUOT|EFBIG|SQLITE_FULL)/, "disk-full", "Free space on the disk of the data directory, then try again."],
  [/^(EACCES|EPERM|SQLITE_PERM|SQLITE_AUTH)/, "not-permitted", "Give this user read and write access to the data directory."],
  [/^(EROFS|SQLITE_READONLY)/, "read-only", "Use a data directory on a file system that can be written to."],
  [/^(EMFILE|ENFILE)/, "too-many-files", "Raise the limit of open files for this process."],
  [/^ELOOP/, "symbolic-link", "Remove the symbolic link from the data directory; links are not followed there."],
  [/^(ENOTDIR|EISDIR|ENOENT|EEXIST)/, "wrong-kind-of-file", "See whether another program changed the data directory."],
  [/^(SQLITE_CORRUPT|SQLITE_NOTADB)/, "catalog-damaged", "Run `workrail rebuild`: the checkpoints' files hold all that is needed."],
  [/^SQLITE_CANTOPEN/, "cannot-open", "See that this user may read and write the data directory and all files in it."],
  [/^(EIO|SQLITE_IOERR)/, "input-output", "Check the disk of the data directory."],
];

/** Translates an error of the file system or of SQLite; a `WorkrailError`, and a bug's `TypeError`, pass as they are. */
export function storageError(error: unknown, path?: string): unknown {
  if (isWorkrailError(error) || !(error instanceof Error) || !("code" in error)) return error;
  const code = String(error.code);
  if (/^SQLITE_(BUSY|LOCKED)/.test(code)) return lockTimeout(error);
  const [, reason, hint] = REASONS.find(([pattern]) => pattern.test(code)) ?? [
    undefined,
    "other",
    "Check the data directory and its disk.",
  ];
  return new WorkrailError("STORAGE_UNAVAILABLE", `The store cannot be used (${code}).`, {
    details: { reason, code, ...(path === undefined ? {} : { path }) },
    hint,
    cause: error,
  });
}

/** Somebody else kept the write lock for longer than we may wait. */
function lockTimeout(cause?: unknown): WorkrailError {
  return new WorkrailError("LOCK_TIMEOUT", "The store stayed locked by another writer.", {
    hint: "Try again; if it persists, see which process keeps the store busy.",
    cause,
  });
}
