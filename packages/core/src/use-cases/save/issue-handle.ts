import type { CheckpointRecord } from "../../model/checkpoint.ts";
import type { CheckpointId } from "../../model/ids.ts";
import type { Clock } from "../../ports/environment.ts";
import type { Locking } from "../../ports/locking.ts";
import { commit } from "../../catalog/rules/commit.ts";
import { findCheckpoint } from "../../catalog/queries/query-checkpoints.ts";
import type { CatalogPort } from "../../catalog/catalog-port.ts";

export interface HandlePorts {
  readonly catalog: CatalogPort;
  readonly locking: Locking;
  readonly clock: Clock;
}

/** Promise for a checkpoint id: until `validUntil` no automatic removal takes the checkpoint. */
export interface Handle {
  readonly validUntil: Date;
}

const DAY_MS = 24 * 60 * 60 * 1_000;
/** Validity of a handle in milliseconds: 7 days. */
export const HANDLE_MS: number = 7 * DAY_MS;
/** A handle that is valid for at least this long is returned again, so that a checkpoint is written at most once a day. */
const LONG_ENOUGH_MS = 6 * DAY_MS;

/**
 * Issues a handle for a checkpoint: until it expires, pruning, retention and quotas spare the checkpoint. A deliberate removal
 * still works. Durable when it resolves.
 *
 * @returns `undefined` when there is no such live checkpoint.
 * @throws LOCK_TIMEOUT and STORAGE_UNAVAILABLE; then no handle may be given out.
 */
export async function issueHandle(
  { catalog, locking, clock }: HandlePorts,
  { checkpointId }: { readonly checkpointId: CheckpointId },
): Promise<Handle | undefined> {
  return locking.shared(async () => {
    const record = await findCheckpoint(catalog, checkpointId);
    if (record === undefined) return undefined;
    const now = clock.now().getTime();
    const holding = handleOf(record);
    if (holding !== undefined && holding.validUntil.getTime() - now >= LONG_ENOUGH_MS) return holding;
    const outcome = await catalog.change(commit({ shields: [{ checkpointId, until: new Date(now + HANDLE_MS) }], audit: [] }));
    const [shielded] = outcome.status === "committed" ? outcome.shielded : [];
    return shielded === undefined ? undefined : handleOf(shielded);
  });
}

/** Returns the current handle of a checkpoint. */
function handleOf({ shieldedUntil }: CheckpointRecord): Handle | undefined {
  return shieldedUntil === undefined ? undefined : { validUntil: shieldedUntil };
}
