import { CHECKPOINT_KINDS, type CheckpointRecord } from "../model/checkpoint.ts";
import type { CheckpointId, SessionId } from "../model/ids.ts";
import type { Session } from "../model/session.ts";
import { checkWhole, type ListPorts } from "./list-checkpoints.ts";
import { sessionNotFound } from "./load-checkpoint.ts";
import { eachRecord } from "./view-store.ts";

export interface TraceInput {
  readonly sessionId: SessionId;
  /** Asides, too. Default `false`. */
  readonly asides?: boolean | undefined;
  /** Only the newest of them. Default: all. */
  readonly limit?: number | undefined;
}

/** A session as the graph that its checkpoints are. */
export interface SessionTrace {
  readonly session: Session;
  readonly headId: CheckpointId | undefined;
  /** The newest first: what continues a checkpoint comes before it. */
  readonly nodes: readonly TraceNode[];
  /** How many there are, those beyond the limit included. */
  readonly total: number;
}

export interface TraceNode {
  readonly record: CheckpointRecord;
  /** What continues it, the oldest first; several where the session forks. */
  readonly children: readonly CheckpointId[];
  /** What it continues, and is there no more, was removed. */
  readonly isParentGone: boolean;
}

/**
 * Tells how the checkpoints of a session continue each other.
 *
 * @throws SESSION_NOT_FOUND when it holds none; INVALID_INPUT for a limit that makes no sense.
 */
export async function traceSession({ catalog, locking }: ListPorts, { sessionId, asides, limit }: TraceInput): Promise<SessionTrace> {
  if (limit !== undefined) checkWhole("limit", limit, 1, Number.MAX_SAFE_INTEGER);
  return locking.shared(async () => {
    const session = await catalog.session(sessionId);
    if (session === undefined) throw sessionNotFound(sessionId);
    const kinds = CHECKPOINT_KINDS.filter((kind) => asides === true || kind !== "aside");
    const records: CheckpointRecord[] = [];
    for await (const record of eachRecord(catalog, { sessionId, kinds })) records.push(record);
    const head = await catalog.head(sessionId);
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
