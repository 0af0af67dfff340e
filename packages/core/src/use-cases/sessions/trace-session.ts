import { CHECKPOINT_KINDS, type CheckpointRecord } from "../../model/checkpoint.ts";
import type { CheckpointId, SessionId } from "../../model/ids.ts";
import type { Session } from "../../model/session.ts";
import { checkWhole, type ListPorts } from "../load/list-checkpoints.ts";
import { sessionNotFound } from "../load/load-checkpoint.ts";
import { eachRecord } from "../remove/view-store.ts";
import type { CatalogPort } from "../../catalog/catalog-port.ts";
import { findSessionAndHead } from "../../catalog/queries/query-sessions.ts";
import { type CheckpointFilter, liveWhere, queryCheckpoints } from "../../catalog/queries/query-checkpoints.ts";
import { ALL, type Place, type Where } from "../../catalog/reads.ts";

export interface TraceInput {
  readonly sessionId: SessionId;
  /** Include asides. Default `false`. */
  readonly asides?: boolean | undefined;
  /** Only the newest ones. Default: all. */
  readonly limit?: number | undefined;
}

/** Checkpoints of a session as a graph. */
export interface SessionTrace {
  readonly session: Session;
  readonly headId: CheckpointId | undefined;
  /** Newest first: children come before their parents. */
  readonly nodes: readonly TraceNode[];
  /** Number of checkpoints, including those beyond the limit. */
  readonly total: number;
}

export interface TraceNode {
  readonly record: CheckpointRecord;
  /** Checkpoints that continue it, oldest first; several at a fork. */
  readonly children: readonly CheckpointId[];
  /** True when its parent was removed. */
  readonly isParentGone: boolean;
}

/**
 * Returns how the checkpoints of a session continue each other.
 *
 * @throws SESSION_NOT_FOUND when it holds none; INVALID_INPUT for an invalid limit.
 */
export async function traceSession({ catalog, locking }: ListPorts, { sessionId, asides, limit }: TraceInput): Promise<SessionTrace> {
  if (limit !== undefined) checkWhole("limit", limit, { least: 1 });
  // No kinds named: asides are hidden, and the number of the others stands in the row of the session.
  const filter: CheckpointFilter = asides === true ? { kinds: CHECKPOINT_KINDS } : {};
  return locking.shared(async () => {
    const { session, head } = await findSessionAndHead(catalog, sessionId);
    if (session === undefined) throw sessionNotFound(sessionId);
    const { records, total } = await recordsOf(catalog, { ...filter, sessionId }, limit);
    // With a limit, parents may be older than the records that were read.
    const parents = new Set(records.map(({ parentId }) => parentId).filter((id) => id !== null));
    for (const { id } of records) parents.delete(id);
    const isWhole = records.length === total || parents.size === 0;
    const older = isWhole ? [] : await livePlaces(catalog, { ...liveWhere(filter), ids: [...parents] });
    return { session, headId: head?.id, nodes: connect(records, new Set(older.map(({ id }) => id))), total };
  });
}

async function livePlaces(catalog: CatalogPort, where: Where): Promise<readonly Place[]> {
  return (await catalog.read({ places: { of: "places", where, order: "any", limit: ALL } })).places;
}

/** Returns the newest records, and the number of all. */
async function recordsOf(
  catalog: CatalogPort,
  filter: CheckpointFilter,
  limit: number | undefined,
): Promise<{ readonly records: readonly CheckpointRecord[]; readonly total: number }> {
  if (limit !== undefined) return queryCheckpoints(catalog, { filter, limit, offset: 0 });
  const records: CheckpointRecord[] = [];
  for await (const record of eachRecord(catalog, filter)) records.push(record);
  return { records, total: records.length };
}

/** @param older live checkpoints that are not among the records */
function connect(records: readonly CheckpointRecord[], older: ReadonlySet<CheckpointId>): readonly TraceNode[] {
  // A child is always newer than its parent, and thus among the records.
  const children = new Map<CheckpointId, CheckpointId[]>(records.map(({ id }) => [id, []]));
  for (const { id, parentId } of records.toReversed()) if (parentId !== null) children.get(parentId)?.push(id);
  return records.map((record) => ({
    record,
    children: children.get(record.id) ?? [],
    isParentGone: record.parentId !== null && !children.has(record.parentId) && !older.has(record.parentId),
  }));
}
