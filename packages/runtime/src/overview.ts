import {
  type JsonObject,
  type ListPorts,
  listSessions,
  parseSessionId,
  sessionProjectOf,
  type SessionTrace,
  traceSession,
} from "@workrail/core";
import type { ContextComparison } from "@workrail/views";
import type { CheckpointMetadata, SessionMetadata } from "./context-management-service.ts";
import { metadataOf, sessionMetadataOf } from "./metadata.ts";

export interface ListSessionsParams {
  /** `null`: all projects. Default: the project of the working directory. */
  readonly project?: string | null | undefined;
  /** Default 20, at most 100. */
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

/** A session, with fields of its latest checkpoint. */
export interface ListedSessionMetadata extends SessionMetadata {
  /** A readable name, if its id is generated. */
  name?: string;
  latest?: Pick<CheckpointMetadata, "id" | "createdAt" | "name" | "project" | "workflowId" | "agentId">;
}

export interface ListSessionsResult {
  /** Most recently used first. */
  sessions: ListedSessionMetadata[];
  total: number;
  limit: number;
  offset: number;
}

export interface TraceSessionParams {
  readonly sessionId: string;
  /** Includes asides. Default `false`. */
  readonly asides?: boolean | undefined;
  /** Number of newest checkpoints. Default: all. */
  readonly limit?: number | undefined;
}

/** A checkpoint and its place in the graph of its session. */
export interface TracedCheckpoint extends CheckpointMetadata {
  /** Ids of the checkpoints that continue it, oldest first; several where the session forks. */
  children: string[];
  /** Its parent was removed. */
  parentGone?: true;
}

export interface TraceSessionResult {
  session: SessionMetadata;
  /** The latest checkpoint that work can continue from, if there is one. */
  headId?: string;
  /** Newest first. */
  checkpoints: TracedCheckpoint[];
  /** Number of checkpoints, including those beyond the limit. */
  total: number;
}

export interface CompareCheckpointsParams {
  /** Usually the older one: entries that it lacks count as added. */
  readonly fromId: string;
  readonly toId: string;
}

/** Differences between two checkpoints. */
export interface CompareCheckpointsResult extends ContextComparison {
  from: ComparedMetadata;
  to: ComparedMetadata;
}

export interface ComparedMetadata extends CheckpointMetadata {
  /** Tokens of the whole context as JSON. */
  tokens: number;
}

export interface TagSessionParams {
  readonly sessionId: string;
  readonly add?: readonly string[] | undefined;
  /** Tags that are not set are ignored. */
  readonly remove?: readonly string[] | undefined;
}

/** Id and attributes of the copy of a checkpoint, where they differ. */
export interface CopyName {
  readonly checkpointId?: string;
  readonly attributes?: JsonObject;
}

export interface CopySessionParams {
  readonly fromSessionId: string;
  /** Session to copy to. Other checkpoints in it stay. */
  readonly toSessionId: string;
  /**
   * Returns the id of the copy of a checkpoint, the same each time, and attributes to set. A map has these by the ids of checkpoints, and
   * only those are copied. Default: an id that follows from the session and the old id.
   */
  readonly rename?: ((checkpointId: string, attributes: JsonObject) => CopyName) | ReadonlyMap<string, CopyName> | undefined;
  readonly agentId?: string | undefined;
}

export interface CopySessionResult {
  /** The copies that are in the session now, the oldest first. */
  copies: readonly { readonly from: string; readonly to: string }[];
  /** Copies that were there before. */
  present: number;
}

/** @param params `project` is used as given, without a default. */
export async function listSessionsFor(ports: ListPorts, { project, limit, offset }: ListSessionsParams): Promise<ListSessionsResult> {
  const found = await listSessions(ports, { project: project ?? undefined, limit, offset });
  const sessions = found.sessions.map(({ session, head }) => {
    if (head === undefined) return sessionMetadataOf(session);
    const owner = sessionProjectOf(head);
    const metadata = metadataOf(head);
    const told = (["id", "createdAt", "name", "project", "workflowId", "agentId"] as const).filter(
      (field) => metadata[field] !== undefined,
    );
    const latest = Object.fromEntries(told.map((field) => [field, metadata[field]])) as NonNullable<ListedSessionMetadata["latest"]>;
    const { sessionName: name } = metadata;
    return {
      ...sessionMetadataOf(session),
      ...(name === undefined ? {} : { name }),
      ...(owner === undefined ? {} : { project: owner }),
      latest,
    };
  });
  return { sessions, total: found.total, limit: found.limit, offset: found.offset };
}

/** Sessions read at a time to count tags. */
const PAGE = 100;

/** Counts the sessions that have each tag. @param project as for `listSessionsFor`. */
export async function listTagsFor(
  ports: ListPorts,
  { project }: Pick<ListSessionsParams, "project">,
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  let total = PAGE;
  for (let offset = 0; offset < total; offset += PAGE) {
    const found = await listSessions(ports, { project: project ?? undefined, limit: PAGE, offset });
    ({ total } = found);
    for (const tag of found.sessions.flatMap(({ session }) => session.tags)) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  }
  return new Map([...counts].toSorted(([a, ofA], [b, ofB]) => ofB - ofA || (a < b ? -1 : 1)));
}

export async function traceSessionFor(ports: ListPorts, { sessionId, ...rest }: TraceSessionParams): Promise<TraceSessionResult> {
  const { session, headId, nodes, total }: SessionTrace = await traceSession(ports, { sessionId: parseSessionId(sessionId), ...rest });
  const checkpoints = nodes.map(({ record, children, isParentGone }) => ({
    ...metadataOf(record),
    children: [...children],
    ...(isParentGone ? { parentGone: true as const } : {}),
  }));
  return { session: sessionMetadataOf(session), ...(headId === undefined ? {} : { headId }), checkpoints, total };
}
