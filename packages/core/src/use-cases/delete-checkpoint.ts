import type { CheckpointId } from "../model/ids.ts";
import type { CheckpointRecord } from "../model/checkpoint.ts";
import type { Catalog, Move } from "../ports/catalog.ts";
import type { CleanUpPorts } from "./carry-out.ts";
import { finishRemovals } from "./collect-garbage.ts";
import { checkpointNotFound } from "./load-checkpoint.ts";

export interface DeleteInput {
  readonly checkpointId: CheckpointId;
  readonly agentId?: string | undefined;
}

/**
 * Removes one checkpoint for good, live or in the trash, whatever it is tagged with and whoever holds a handle for it:
 * somebody named it. The audit log has a row of it. Its file goes too, as soon as no other checkpoint is stored against it.
 *
 * @returns its record, as it was.
 * @throws CHECKPOINT_NOT_FOUND, the second time as well; LOCK_TIMEOUT and STORAGE_UNAVAILABLE.
 */
export async function deleteCheckpoint(ports: CleanUpPorts, { checkpointId, agentId }: DeleteInput): Promise<CheckpointRecord> {
  const { catalog, locking } = ports;
  const deleted = await locking.shared(async () => {
    const { record, from } = await whereabouts(catalog, checkpointId);
    if (record === undefined) throw await checkpointNotFound({ catalog }, checkpointId);
    const at = ports.clock.now();
    const move: Move = { sessionId: record.sessionId, checkpoints: [checkpointId], at, reason: "manual", agentId, from, to: "nowhere" };
    const outcome = await catalog.commit({ move, audit: [] });
    const isMoved = outcome.status === "committed" && outcome.moved.length > 0;
    if (!isMoved) throw await checkpointNotFound({ catalog }, checkpointId);
    return record;
  });
  await finishRemovals(ports);
  return deleted;
}

async function whereabouts(
  catalog: Catalog,
  checkpointId: CheckpointId,
): Promise<{ readonly record: CheckpointRecord | undefined; readonly from: "live" | "trash" }> {
  const live = await catalog.find(checkpointId);
  if (live !== undefined) return { record: live, from: "live" };
  const [trashed] = (await catalog.trash({ checkpointId, limit: 1 })).entries;
  return { record: trashed?.record, from: "trash" };
}
