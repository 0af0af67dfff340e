import type { CheckpointRecord } from "../model/checkpoint.ts";
import type { CheckpointId } from "../model/ids.ts";
import type { Catalog } from "../ports/catalog.ts";
import type { Clock } from "../ports/environment.ts";
import type { Locking } from "../ports/locking.ts";

export interface HandlePorts {
  readonly catalog: Catalog;
  readonly locking: Locking;
  readonly clock: Clock;
}

/** The promise that goes with a checkpoint's id: until then nothing removes it of its own accord. */
export interface Handle {
  readonly validUntil: Date;
}

const DAY_MS = 24 * 60 * 60 * 1_000;
/** How long a handle holds, in milliseconds: 7 days. */
export const HANDLE_MS: number = 7 * DAY_MS;
/** One that holds this long still is given out again: a checkpoint is written to once a day at most, however often it is used. */
const LONG_ENOUGH_MS = 6 * DAY_MS;

/**
 * Gives out a handle for a checkpoint: until it runs out pruning, retention and quotas pass the checkpoint over. Whoever
 * removes it on purpose still does. Durable when it resolves.
 *
 * @returns `undefined` when there is no such live checkpoint: then there is nothing to promise.
 * @throws LOCK_TIMEOUT and STORAGE_UNAVAILABLE; then no handle may be given out.
 */
export async function issueHandle(
  { catalog, locking, clock }: HandlePorts,
  { checkpointId }: { readonly checkpointId: CheckpointId },
): Promise<Handle | undefined> {
  return locking.shared(async () => {
    const record = await catalog.find(checkpointId);
    if (record === undefined) return undefined;
    const now = clock.now().getTime();
    const holding = handleOf(record);
    if (holding !== undefined && holding.validUntil.getTime() - now >= LONG_ENOUGH_MS) return holding;
    const outcome = await catalog.commit({ shields: [{ checkpointId, until: new Date(now + HANDLE_MS) }], audit: [] });
    const [shielded] = outcome.status === "committed" ? outcome.shielded : [];
    return shielded === undefined ? undefined : handleOf(shielded);
  });
}

/** What was promised of a checkpoint so far. */
function handleOf({ shieldedUntil }: CheckpointRecord): Handle | undefined {
  return shieldedUntil === undefined ? undefined : { validUntil: shieldedUntil };
}
