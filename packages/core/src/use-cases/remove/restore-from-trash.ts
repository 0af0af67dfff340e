import { WorkrailError } from "../../errors.ts";
import type { CheckpointRecord } from "../../model/checkpoint.ts";
import type { CheckpointId, SessionId } from "../../model/ids.ts";
import type { CleanUpPorts } from "./carry-out.ts";
import { viewTrash } from "./view-store.ts";
import { commit } from "../../catalog/rules/commit.ts";

export interface RestoreInput {
  readonly sessionId: SessionId;
  /** Default: everything of the session in the trash. */
  readonly checkpointIds?: readonly CheckpointId[] | undefined;
}

/**
 * Moves checkpoints from the trash back to their old places. Their session counts as used now, or retention would soon remove it
 * again.
 *
 * @throws CHECKPOINT_NOT_FOUND, without restoring anything, when one of them is not in the trash, or nothing of the session is.
 */
export async function restoreFromTrash(
  { catalog, locking, clock }: CleanUpPorts,
  { sessionId, checkpointIds }: RestoreInput,
): Promise<readonly CheckpointRecord[]> {
  return locking.inOrder(sessionId, async () => {
    const there = new Set((await viewTrash(catalog, { sessionId })).map(({ id }) => id));
    const wanted = checkpointIds ?? [...there];
    const missing = wanted.filter((id) => !there.has(id));
    if (wanted.length === 0 || missing.length > 0) throw notInTrash(sessionId, missing);
    const at = clock.now();
    const move = { sessionId, checkpoints: wanted, from: "trash", to: "live", at, reason: "asked for" } as const;
    const accesses = wanted.map((checkpointId) => ({ checkpointId, at }));
    const outcome = await catalog.change(commit({ move, accesses, audit: [] }));
    return outcome.status === "committed" ? outcome.moved : [];
  });
}

function notInTrash(sessionId: SessionId, checkpointIds: readonly CheckpointId[]): WorkrailError {
  const [first] = checkpointIds;
  const message =
    first === undefined ? `The trash has no checkpoints of session ${sessionId}.` : `Checkpoint ${first} is not in the trash.`;
  return new WorkrailError("CHECKPOINT_NOT_FOUND", message, {
    details: { sessionId, checkpointIds },
    hint: "`workrail trash list` shows the trash. Old items are deleted automatically.",
  });
}
