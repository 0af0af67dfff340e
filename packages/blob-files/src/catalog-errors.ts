import { type CheckpointId, isWorkrailError, WorkrailError } from "@workrail/core";

/** Error for checkpoint files without a catalog. */
export function catalogLost(): WorkrailError {
  return new WorkrailError("STORAGE_UNAVAILABLE", "The catalog is missing, but the checkpoints' files exist.", {
    details: { reason: "catalog-lost" },
    hint: "Run `workrail rebuild`: the checkpoints' files hold all that is needed.",
  });
}

/** Error for a damaged catalog file. */
export function catalogDamaged(path: string): WorkrailError {
  return new WorkrailError("STORAGE_UNAVAILABLE", "The catalog is damaged.", {
    details: { reason: "catalog-damaged", path },
    hint: "Run `workrail rebuild`: the checkpoints' files hold all that is needed.",
  });
}

/** Error for an invalid ref in the catalog. */
export function namedOutside(): WorkrailError {
  return new WorkrailError("STORAGE_UNAVAILABLE", "The catalog names a file outside of the store.", {
    details: { reason: "catalog-damaged" },
    hint: "Run `workrail rebuild`.",
  });
}

/** Tells whether an error means that the catalog must be rebuilt. */
export function isCatalogLoss(error: unknown): boolean {
  return isWorkrailError(error) && ["catalog-lost", "catalog-damaged"].includes(String(error.details["reason"]));
}

export function storeClosed(): WorkrailError {
  return new WorkrailError("STORAGE_UNAVAILABLE", "The store is closed.", {
    details: { reason: "closed" },
    hint: "Open it again.",
  });
}

/** Error for a failed commit with unknown outcome; names the checkpoint if there is one. */
export function unknownOutcome(checkpointId: CheckpointId | undefined, cause: unknown): WorkrailError {
  return new WorkrailError("STORAGE_UNAVAILABLE", "The store failed during a commit, and the outcome is unknown.", {
    details: { reason: "input-output", outcome: "unknown", ...(checkpointId === undefined ? {} : { checkpointId }) },
    hint: "Repeat the call. A save with the same checkpointId or expectedParentId is recognised if it was committed.",
    cause,
  });
}

/** Error for a directory without a store. */
export function noStore(dataDir: string): WorkrailError {
  return new WorkrailError("STORAGE_UNAVAILABLE", `There is no store in ${dataDir}, and reading creates none.`, {
    details: { reason: "no-store", path: dataDir },
    hint: "Name the data directory of a store, or save something without WORKRAIL_READ_ONLY first.",
  });
}
