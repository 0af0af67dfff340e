import { isWorkrailError, type WorkrailError } from "./errors.ts";

/** Of the reasons for which storage cannot be used, those that need say nothing of any other file. */
const REASONS: ReadonlySet<unknown> = new Set([
  "input-output",
  "not-permitted",
  "wrong-kind-of-file",
  "symbolic-link",
  "file-in-use",
  "path-too-long",
  "other",
]);

/**
 * Whether a file could not be read, and others may be readable all the same. It proves no damage: a disk that failed may work
 * again, and a directory that was closed may be opened.
 */
export function isFaultOfOneFile(error: unknown): error is WorkrailError {
  return isWorkrailError(error) && error.code === "STORAGE_UNAVAILABLE" && REASONS.has(error.details["reason"]);
}
