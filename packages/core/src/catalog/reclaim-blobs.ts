import type { BlobRef } from "../model/ids.ts";
import type { CatalogPort } from "./catalog-port.ts";
import { reclaim, type RemoveBlobs } from "./rules/reclaim.ts";

/** Blobs that one step removes. */
const BATCH = 100;

/**
 * Removes blobs that no record, live or in the trash, and no edge needs. Calls `remove` with some of these refs at a time while no change of any
 * process can start to need it, and resolves to the removed refs. They no longer count as pending removals. Without `refs`, takes the
 * pending removals: blobs of removed checkpoints that nobody has reclaimed yet. Removes nothing while a hold is active.
 */
export async function reclaimBlobs(
  catalog: Pick<CatalogPort, "change">,
  refs: readonly BlobRef[] | undefined,
  remove: RemoveBlobs,
): Promise<readonly BlobRef[]> {
  const removed = new Set<BlobRef>();
  for (;;) {
    // A removed blob may have been the last one that needed another, which can be removed then.
    const waiting = refs?.filter((ref) => !removed.has(ref));
    const batch = await catalog.change(reclaim({ refs: waiting, now: new Date(), limit: BATCH, remove }));
    for (const ref of batch) removed.add(ref);
    if (batch.length === 0) return [...removed];
  }
}
