import { isShielded } from "../../catalog/asides.ts";
import type { CheckpointRecord } from "../../model/checkpoint.ts";
import type { SessionId } from "../../model/ids.ts";
import { KEEP_TAG } from "../../model/session.ts";
import type { Clock } from "../../ports/environment.ts";
import type { Locking } from "../../ports/locking.ts";
import { eachRecord } from "../remove/view-store.ts";
import { commit } from "../../catalog/rules/commit.ts";
import { findSession } from "../../catalog/queries/query-sessions.ts";
import { queryCheckpoints } from "../../catalog/queries/query-checkpoints.ts";
import type { CatalogPort } from "../../catalog/catalog-port.ts";

export interface PruneInput {
  readonly sessionId: SessionId;
  /** Number of workflow checkpoints that stay. */
  readonly keepNewest: number;
  readonly agentId?: string | undefined;
}

/**
 * Moves the oldest workflow checkpoints of a session beyond a number into the trash; a save would remove them instead. Spares the
 * newest, those tagged `keep` (directly or through the session), and those held by a handle. Resolves to the moved checkpoints.
 */
export async function pruneToTrash(
  { catalog, locking, clock }: { readonly catalog: CatalogPort; readonly locking: Locking; readonly clock: Clock },
  { sessionId, keepNewest, agentId }: PruneInput,
): Promise<readonly CheckpointRecord[]> {
  return locking.inOrder(sessionId, async () => {
    const filter = { sessionId, kinds: ["workflow"] } as const;
    const { total } = await queryCheckpoints(catalog, { filter, limit: 1, offset: 0 });
    if (total <= keepNewest) return [];
    if ((await findSession(catalog, sessionId))?.tags.includes(KEEP_TAG) === true) return [];
    const at = clock.now();
    const free: CheckpointRecord[] = [];
    for await (const record of eachRecord(catalog, filter))
      if (!record.tags.includes(KEEP_TAG) && !isShielded(record, at)) free.push(record);
    // Newest first. The first one is the head, or damaged, and the next save continues it.
    const going = free
      .slice(1)
      .slice(-(total - keepNewest))
      .map(({ id }) => id);
    const move = { sessionId, checkpoints: going, at, reason: "count", from: "live", to: "trash", sparesShielded: true, agentId } as const;
    const outcome = going.length === 0 ? undefined : await catalog.change(commit({ move, audit: [] }));
    return outcome?.status === "committed" ? outcome.moved : [];
  });
}
