import { closeSync, constants, fstatSync, openSync } from "node:fs";
import { isWorkrailError, WorkrailError } from "@workrail/core";

/** A transcript that is open for reading. */
export interface OpenTranscript {
  readonly fd: number;
  readonly sizeBytes: number;
}

const MISSING = new Set(["ENOENT", "ENOTDIR"]);

/**
 * Opens a regular file for reading. Never blocks, also not for a pipe without a writer.
 *
 * `undefined` when there is no file. Follows links, because the host names the path.
 *
 * @throws INVALID_INPUT for anything but a regular file; STORAGE_UNAVAILABLE when the file cannot be opened.
 */
export function openTranscript(file: string): OpenTranscript | undefined {
  const fd = openWithoutWaiting(file);
  if (fd === undefined) return undefined;
  const found = fstatSync(fd);
  if (found.isFile()) return { fd, sizeBytes: found.size };
  closeSync(fd);
  throw notAFile(file);
}

function openWithoutWaiting(file: string): number | undefined {
  try {
    // Windows has neither this flag nor pipes in folders.
    return openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    const code = codeOf(error) ?? "";
    if (MISSING.has(code)) return undefined;
    if (code === "ENXIO" || code === "EISDIR" || code === "ERR_INVALID_ARG_VALUE") throw notAFile(file, error);
    throw cannotRead(file, error);
  }
}

/** Maps an error of the file system to STORAGE_UNAVAILABLE, and returns any other error unchanged. */
export function cannotRead(file: string, error: unknown): unknown {
  const code = codeOf(error);
  if (code === undefined) return error;
  return new WorkrailError("STORAGE_UNAVAILABLE", `The transcript ${file} cannot be read (${code})`, {
    details: { path: file, reason: code },
    hint: "Give this user read access to the transcript.",
    cause: error,
  });
}

/** The system's error code; `undefined` for errors of this product. */
function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && !isWorkrailError(error) ? String(error.code) : undefined;
}

function notAFile(file: string, cause?: unknown): WorkrailError {
  return new WorkrailError("INVALID_INPUT", "A transcript must be a regular file", {
    details: { field: "file", path: file },
    hint: "Give the path of a transcript that a host wrote.",
    cause,
  });
}
