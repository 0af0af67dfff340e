import type { BlobRef, SessionId } from "../../model/ids.ts";
import type { CatalogPort } from "../catalog-port.ts";
import { inSequence } from "../in-sequence.ts";
import { mapped, type Rule } from "../rule.ts";
import { changesOf } from "../rows.ts";
import { forget } from "./forget.ts";
import { BATCH, inBatches, reclaim, type RemoveBlobs } from "./reclaim.ts";

/** Sessions to forget when their last blob is removed. */
export interface Emptied {
  readonly sessions: ReadonlySet<SessionId>;
  /** Time of the audit rows. */
  readonly at: Date;
}

/**
 * Removes the blobs of pending removals, as `reclaimBlobs` does, and in the same step forgets each of these sessions that becomes empty.
 * Sessions that are tagged `keep`, or empty already, stay.
 */
export function reclaimAndForget(catalog: Pick<CatalogPort, "change">, emptied: Emptied, remove: RemoveBlobs): Promise<readonly BlobRef[]> {
  return inBatches(() => catalog.change(andForget(reclaim({ refs: undefined, now: new Date(), limit: BATCH, remove }), emptied)));
}

/** Adds to a rule that removes blobs: forgets the sessions in which it leaves nothing. */
export function andForget(removing: Rule<readonly BlobRef[]>, { sessions, at }: Emptied): Rule<readonly BlobRef[]> {
  return mapped(removing, (removed) => {
    const touched = new Set(changesOf("removal", removed.rows).flatMap(({ now }) => (now === undefined ? [] : [now.sessionId])));
    const emptied = [...touched].filter((id) => sessions.has(id));
    const forgetting = emptied.map((id) =>
      mapped(forget(id, { at }), (forgotten) => ({ ...forgotten, outcome: [], withdrawn: undefined })),
    );
    if (forgetting.length === 0) return removed;
    const steps = inSequence<readonly BlobRef[]>([{ reads: {}, decide: () => removed }, ...forgetting]);
    return mapped(steps, (decision) => ({ ...decision, outcome: removed.outcome, withdrawn: undefined }));
  });
}
