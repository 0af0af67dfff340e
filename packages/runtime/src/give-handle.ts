import { type CheckpointId, issueHandle } from "@workrail/core";
import { isStorageFailure } from "./fallback/storage-failure.ts";
import type { Store } from "./store.ts";

/**
 * Issues a handle. An answer is not withheld because the store cannot be written to; it then makes no promise. A peek changes nothing, so it
 * makes none either.
 */
export async function giveHandle(
  { parts, isReadOnly }: Store,
  checkpointId: CheckpointId,
  { isPeek }: { readonly isPeek?: boolean | undefined },
): Promise<{ readonly validUntil?: string }> {
  if (isReadOnly || isPeek === true) return {};
  try {
    const handle = await issueHandle(parts, { checkpointId });
    return handle === undefined ? {} : { validUntil: handle.validUntil.toISOString() };
  } catch (error) {
    if (!isStorageFailure(error)) throw error;
    parts.log.warn("no handle could be issued for a checkpoint", { checkpointId, error });
    return {};
  }
}
