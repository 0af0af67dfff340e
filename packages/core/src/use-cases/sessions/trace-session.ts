import { CHECKPOINT_KINDS, type CheckpointRecord } from "../../model/checkpoint.ts";
import type { CheckpointId, SessionId } from "../../model/ids.ts";
import type { Session } from "../../model/session.ts";
import { checkWhole, type ListPorts } from "../load/list-checkpoints.ts";
import { sessionNotFound } from "../load/load-checkpoint.ts";
import { eachRecord } from "../remove/view-store.ts";
import { findHead } from "../../catalog/queries/find-checkpoint.ts";
import { findSession } from "../../catalog/queries/find-session.ts";

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
  if (limit !== undefined) checkWhole("limit", limit, 1, Number.MAX_SAFE_INTEGER);
  return locking.shared(async () => {
    const session = await findSession(catalog, sessionId);
    if (session === undefined) throw sessionNotFound(sessionId);
    const kinds = CHECKPOINT_KINDS.filter((kind) => asides === true || kind !== "aside");
    const records: CheckpointRecord[] = [];
    for await (const record of eachRecord(catalog, { sessionId, kinds })) records.push(record);
    const head = await findHead(catalog, sessionId);
    return { session, headId: head?.id, nodes: connect(records).slice(0, limit), total: records.length };
  });
}

function connect(records: readonly CheckpointRecord[]): readonly TraceNode[] {
  const children = new Map<CheckpointId, CheckpointId[]>(records.map(({ id }) => [id, []]));
  for (const { id, parentId } of records.toReversed()) if (parentId !== null) children.get(parentId)?.push(id);
  return records.map((record) => ({
    record,
    children: children.get(record.id) ?? [],
    isParentGone: record.parentId !== null && !children.has(record.parentId),
  }));
}
