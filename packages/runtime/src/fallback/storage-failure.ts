import { isWorkrailError, WorkrailError } from "@workrail/core";

/** Error codes that blame the store, not the request. */
const REASONS: Readonly<Record<string, string>> = { LOCK_TIMEOUT: "locked", STORE_IN_USE: "in-use" };

/** Reasons of `STORAGE_UNAVAILABLE` for a lost catalog. */
const LOSSES = new Set<unknown>(["catalog-lost", "catalog-damaged"]);

/**
 * Tells whether memory may stand in for the disk after this error: it may pass by itself, or when the user repairs the disk. A wrong
 * setting or a store of a newer version does not pass.
 */
export function isStorageFailure(error: unknown): error is WorkrailError {
  if (!isWorkrailError(error)) return false;
  if (error.code === "STORAGE_UNAVAILABLE") return error.details["reason"] !== "closed";
  return REASONS[error.code] !== undefined;
}

/** Tells whether other processes locked the whole store until the timeout. Further writes would wait as long. */
export function isHeldByOthers(error: unknown): boolean {
  return isWorkrailError(error) && REASONS[error.code] !== undefined;
}

/** Tells whether rebuilding the catalog may solve this error. */
export function isCatalogLoss(error: unknown): boolean {
  return isWorkrailError(error) && LOSSES.has(error.details["reason"]);
}

/** Returns the reason of an error as one word, listed in `docs/reference/errors.md`. */
export function reasonOf({ code, details }: WorkrailError): string {
  const { reason } = details;
  return typeof reason === "string" ? reason : (REASONS[code] ?? code);
}

/** Builds the error of a save: memory keeps the checkpoint, or has no room for it when `kept` is absent. */
export function notOnDisk(
  failure: WorkrailError,
  dataDir: string,
  kept: { readonly checkpointId: string; readonly sessionId: string } | undefined,
): WorkrailError {
  const { path = dataDir, code } = failure.details;
  const told = kept === undefined ? { retained: "none" } : { retained: "memory", ...kept, durability: "memory" };
  return new WorkrailError("STORAGE_UNAVAILABLE", `${kept === undefined ? NOT_KEPT : KEPT} ${failure.message}`, {
    details: { ...told, reason: reasonOf(failure), ...(code === undefined ? {} : { code }), path },
    hint: `${kept === undefined ? NOTHING_MORE : GOES_ON} ${failure.hint ?? "Check the data directory and its disk."}`,
    cause: failure,
  });
}

/** Builds the error of a patch whose base cannot be read. */
export function withoutBase(failure: WorkrailError, dataDir: string): WorkrailError {
  const { path = dataDir, code } = failure.details;
  return new WorkrailError("STORAGE_UNAVAILABLE", `The patch was not kept: the state that it changes cannot be read. ${failure.message}`, {
    details: { retained: "none", reason: reasonOf(failure), ...(code === undefined ? {} : { code }), path },
    hint: "Send the whole state as context, which memory can keep, or send the patch again later.",
    cause: failure,
  });
}

const KEPT = "The checkpoint is in this process's memory only, not on disk.";
const NOT_KEPT = "The checkpoint was not kept: it cannot be written, and memory is full of other unwritten checkpoints.";
const GOES_ON =
  "Continue: the checkpoint can be loaded, and is written once the disk is writable again. Do not end this process before then.";
const NOTHING_MORE = "Save again later, or write the state elsewhere.";
