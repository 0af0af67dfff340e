import { isShielded } from "./asides.ts";
import { matchesFilter } from "./matches-filter.ts";
import { CHECKPOINT_KINDS } from "../model/checkpoint.ts";
import type { CheckpointId, SessionId } from "../model/ids.ts";
import type { CheckpointFilter } from "./queries/query-checkpoints.ts";
import type { Where } from "./reads.ts";
import type { CheckpointRow } from "./rows.ts";

/** Data of other rows that a condition may need. */
export interface Others {
  readonly tagsOf: (sessionId: SessionId) => readonly string[];
  readonly headOf: (sessionId: SessionId) => CheckpointId | undefined;
}

/** Makes the test if a row meets every condition. */
export function matcherOf(where: Where, { tagsOf, headOf }: Others): (row: CheckpointRow) => boolean {
  const { state, ids, notId, blobs, notKinds, damaged, withoutTag, unshieldedAt, headsOnly, ownTags } = where;
  const idSet = ids === undefined ? undefined : new Set(ids);
  const blobSet = blobs === undefined ? undefined : new Set(blobs);
  const filter = filterOf(where);
  return ({ record, trashedAt }) =>
    (state === "any" || (trashedAt === undefined) === (state === "live")) &&
    idSet?.has(record.id) !== false &&
    record.id !== notId &&
    blobSet?.has(record.blob) !== false &&
    notKinds?.includes(record.kind) !== true &&
    (damaged === undefined || record.damaged === damaged) &&
    (ownTags === undefined || record.tags.some((tag) => ownTags.includes(tag))) &&
    (withoutTag === undefined || !record.tags.includes(withoutTag)) &&
    (unshieldedAt === undefined || !isShielded(record, unshieldedAt)) &&
    (where.isShielded === undefined || record.shieldedUntil !== undefined) &&
    matchesFilter(record, filter.tags === undefined ? [] : tagsOf(record.sessionId), filter) &&
    (headsOnly !== true || headOf(record.sessionId) === record.id);
}

/** The conditions that a filter of a listing has as well. */
function filterOf({ kinds = CHECKPOINT_KINDS, words, ...where }: Where): CheckpointFilter {
  return { ...where, kinds, query: words?.join(" ") };
}
