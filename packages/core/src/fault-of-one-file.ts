import { isWorkrailError, type WorkrailError } from "./errors.ts";

/** Reasons of `STORAGE_UNAVAILABLE` that may concern a single file only. */
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
 * True when one file could not be read but others may still be readable. This proves no damage: a failed disk may work again, and
 * access to a directory may be granted.
 */
export function isFaultOfOneFile(error: unknown): error is WorkrailError {
  return isWorkrailError(error) && error.code === "STORAGE_UNAVAILABLE" && REASONS.has(error.details["reason"]);
}
