import { isWorkrailError, WorkrailError } from "@workrail/core";

/** Codes that say that the store, and not what was asked of it, is the trouble. */
const REASONS: Readonly<Record<string, string>> = { LOCK_TIMEOUT: "locked", STORE_IN_USE: "in-use" };

/** Reasons of `STORAGE_UNAVAILABLE` that say that the catalog is gone. */
const LOSSES = new Set<unknown>(["catalog-lost", "catalog-damaged"]);

/**
 * Whether memory may stand in for the disk after this error: it may pass by itself, or when somebody sees to the disk.
 * A wrong setting, or a store of a newer version, does not.
 */
export function isStorageFailure(error: unknown): error is WorkrailError {
  if (!isWorkrailError(error)) return false;
  if (error.code === "STORAGE_UNAVAILABLE") return error.details["reason"] !== "closed";
  return REASONS[error.code] !== undefined;
}

/** Whether others keep the whole store from us, for as long as one may wait: what else is tried now waits as long. */
export function isHeldByOthers(error: unknown): boolean {
  return isWorkrailError(error) && REASONS[error.code] !== undefined;
}

/** Whether a rebuild of the catalog may be the answer. */
export function isCatalogLoss(error: unknown): boolean {
  return isWorkrailError(error) && LOSSES.has(error.details["reason"]);
}

/** One word for what is wrong, as `docs/reference/errors.md` lists them. */
export function reasonOf({ code, details }: WorkrailError): string {
  const { reason } = details;
  return typeof reason === "string" ? reason : (REASONS[code] ?? code);
}

/** The failure as the answer to a save: memory keeps its checkpoint, or, when there is none named, has no room for it. */
export function notOnDisk(
  failure: WorkrailError,
  dataDir: string,
  kept: { readonly checkpointId: string; readonly sessionId: string } | undefined,
): WorkrailError {
  const { path = dataDir, code } = failure.details;
  const told = kept === undefined ? { retained: "none" } : { retained: "memory", ...kept, durability: "memory" };
  return new WorkrailError("STORAGE_UNAVAILABLE", `${kept === undefined ? NOT_KEPT : KEPT} ${failure.message}`, {
    details: { ...told, reason: reasonOf(failure), ...(code === undefined ? {} : { code }), path },
    hint: `${kept === undefined ? NOTHING_MORE : GOES_ON} ${failure.hint ?? "See to the data directory and its disk."}`,
    cause: failure,
  });
}

/** The failure as the answer to a patch whose base cannot be read. */
export function withoutBase(failure: WorkrailError, dataDir: string): WorkrailError {
  const { path = dataDir, code } = failure.details;
  return new WorkrailError("STORAGE_UNAVAILABLE", `The patch was not kept: the state that it changes cannot be read. ${failure.message}`, {
    details: { retained: "none", reason: reasonOf(failure), ...(code === undefined ? {} : { code }), path },
    hint: "Send the whole state as context: memory keeps that. Or send the patch again later.",
    cause: failure,
  });
}

const KEPT = "The checkpoint is in this process's memory only, not on disk.";
const NOT_KEPT = "The checkpoint was not kept: it cannot be written, and memory is full of others that wait to be.";
const GOES_ON = "Go on: it can be loaded, and is written to the disk as soon as that works; do not end this process before.";
const NOTHING_MORE = "Save it again later, or write it elsewhere.";
