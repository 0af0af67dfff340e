import { isWorkrailError, WorkrailError } from "@workrail/core";

/** Advice for each reason why a store cannot be used. */
const HINTS = {
  "disk-full": "Free space on the disk of the data directory, then try again.",
  quota: "Free space, or raise this user's disk quota, then try again.",
  "file-too-large": "Raise the limit of the size of a file for this process.",
  "not-permitted":
    "Give this user read and write access to the data directory; to look only, `--read-only` or WORKRAIL_READ_ONLY=true is enough.",
  "read-only":
    "Use a data directory on a file system that can be written to; to look only, `--read-only` or WORKRAIL_READ_ONLY=true is enough.",
  "too-many-files": "Raise the limit of open files for this process.",
  "symbolic-link": "Remove the symbolic link from the data directory; links are not followed there.",
  "file-in-use": "Exclude the data directory from virus scanners, backups and folder synchronisation, then try again.",
  "path-too-long": "Use a data directory with a shorter path.",
  missing: "Restore the removed or moved files, or mount their disk again.",
  "wrong-kind-of-file": "Check whether another program changed the data directory.",
  "catalog-damaged": "Run `workrail rebuild`: the checkpoints' files hold all that is needed.",
  "cannot-open": "See that this user may read and write the data directory and all files in it.",
  "input-output": "Check the disk of the data directory.",
  other: "Check the data directory and its disk.",
} as const;

/** Reasons for failed file operations, by Node's error code. */
const REASONS: readonly (readonly [pattern: RegExp, reason: keyof typeof HINTS])[] = [
  [/^ENOSPC/, "disk-full"],
  [/^EDQUOT/, "quota"],
  [/^EFBIG/, "file-too-large"],
  [/^(EACCES|EPERM)/, "not-permitted"],
  [/^EROFS/, "read-only"],
  [/^(EMFILE|ENFILE)/, "too-many-files"],
  [/^ELOOP/, "symbolic-link"],
  [/^(EBUSY|ETXTBSY)/, "file-in-use"],
  [/^ENAMETOOLONG/, "path-too-long"],
  [/^ENOENT/, "missing"],
  [/^(ENOTDIR|EISDIR|EEXIST)/, "wrong-kind-of-file"],
  [/^EIO/, "input-output"],
];

/** A failed operation on the store, with the code of the layer that failed. */
export interface StorageFailure {
  readonly reason: keyof typeof HINTS;
  readonly code: string;
  readonly path: string | undefined;
  readonly cause: unknown;
}

/** Translates an error of the file system. A `WorkrailError`, or a `TypeError` of a bug, is returned unchanged. */
export function fileError(error: unknown, path?: string): unknown {
  if (isWorkrailError(error) || !(error instanceof Error) || !("code" in error)) return error;
  const code = String(error.code);
  const [, reason] = REASONS.find(([pattern]) => pattern.test(code)) ?? [undefined, "other" as const];
  return storageUnavailable({ reason, code, path, cause: error });
}

/** Builds STORAGE_UNAVAILABLE with the hint for its reason. */
export function storageUnavailable({ reason, code, path, cause }: StorageFailure): WorkrailError {
  return new WorkrailError("STORAGE_UNAVAILABLE", `The store cannot be used (${code}${path === undefined ? "" : `, ${path}`}).`, {
    details: { reason, code, ...(path === undefined ? {} : { path }) },
    hint: HINTS[reason],
    cause,
  });
}
