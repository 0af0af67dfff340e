import { moveOutOfTrash } from "../../clean-up/plan.ts";
import type { SessionId } from "../../model/ids.ts";
import { carryOut, type CleanUpOptions, type CleanUpReport, type RemovalPorts } from "./carry-out.ts";
import { viewTrash } from "./view-store.ts";
import { sumUsage } from "../../catalog/queries/sum-usage.ts";

export interface EmptyTrashInput extends CleanUpOptions {
  /** Only checkpoints of this session. */
  readonly sessionId?: SessionId | undefined;
}

/** Removes the trash permanently, overwritten as by an erasure, because a person requested it. */
export async function emptyTrash(ports: RemovalPorts, { sessionId, ...options }: EmptyTrashInput = {}): Promise<CleanUpReport> {
  const now = ports.clock.now();
  const { entries, bytes } = await ports.locking.shared(async () => {
    const { liveBytes, trashBytes } = await sumUsage(ports.catalog);
    return { entries: await viewTrash(ports.catalog, { sessionId }), bytes: liveBytes + trashBytes };
  });
  const moves = moveOutOfTrash(entries.map((entry) => ({ entry, reason: "manual" as const })));
  return carryOut(ports, { moves, spared: [] }, { ...options, bytes, now, erasing: ports });
}
