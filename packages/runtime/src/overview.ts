import {
  type ContextComparison,
  type ListPorts,
  listSessions,
  parseSessionId,
  sessionProjectOf,
  type SessionTrace,
  traceSession,
} from "@workrail/core";
import type { CheckpointMetadata, SessionMetadata } from "./context-management-service.ts";
import { metadataOf, sessionMetadataOf } from "./metadata.ts";

export interface ListSessionsParams {
  /** `null`: whatever the project. Default: the project of the working directory. */
  readonly project?: string | null | undefined;
  /** Default 20, at most 100. */
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

/** A session, and what its latest checkpoint tells of it. */
export interface ListedSessionMetadata extends SessionMetadata {
  /** A readable name, where its id is a generated one. */
  name?: string;
  latest?: Pick<CheckpointMetadata, "id" | "createdAt" | "name" | "project" | "workflowId" | "agentId">;
}

export interface ListSessionsResult {
  /** The most recently used first. */
  sessions: ListedSessionMetadata[];
  total: number;
  limit: number;
  offset: number;
}

export interface TraceSessionParams {
  readonly sessionId: string;
  /** Asides, too. Default `false`. */
  readonly asides?: boolean | undefined;
  /** Only the newest. Default: all. */
  readonly limit?: number | undefined;
}

/** A checkpoint, and where it stands in the graph of its session. */
export interface TracedCheckpoint extends CheckpointMetadata {
  /** Ids of what continues it, the oldest first; several where the session forks. */
  children: string[];
  /** What it continues was removed. */
  parentGone?: true;
}

export interface TraceSessionResult {
  session: SessionMetadata;
  /** The latest checkpoint that can be gone on from, if there is one. */
  headId?: string;
  /** The newest first. */
  checkpoints: TracedCheckpoint[];
  /** How many there are, those beyond the limit included. */
  total: number;
}

export interface CompareCheckpointsParams {
  /** The older one, usually: what it lacks counts as added. */
  readonly fromId: string;
  readonly toId: string;
}

/** What changed from one checkpoint to another. */
export interface CompareCheckpointsResult extends ContextComparison {
  from: ComparedMetadata;
  to: ComparedMetadata;
}

export interface ComparedMetadata extends CheckpointMetadata {
  /** Of the whole context as JSON. */
  tokens: number;
}

export interface TagSessionParams {
  readonly sessionId: string;
  readonly add?: readonly string[] | undefined;
  /** A tag that is not there is passed over. */
  readonly remove?: readonly string[] | undefined;
}

/** @param params of which `project` is what is to be looked into, whatever the default. */
export async function listSessionsFor(ports: ListPorts, { project, limit, offset }: ListSessionsParams): Promise<ListSessionsResult> {
  const found = await listSessions(ports, { project: project ?? undefined, limit, offset });
  const sessions = found.sessions.map(({ session, head }) => {
    if (head === undefined) return sessionMetadataOf(session);
    const owner = sessionProjectOf(head);
    const metadata = metadataOf(head);
    const told = ["id", "createdAt", "name", "project", "workflowId", "agentId"].filter((field) => metadata[field] !== undefined);
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

export async function traceSessionFor(ports: ListPorts, { sessionId, ...rest }: TraceSessionParams): Promise<TraceSessionResult> {
  const { session, headId, nodes, total }: SessionTrace = await traceSession(ports, { sessionId: parseSessionId(sessionId), ...rest });
  const checkpoints = nodes.map(({ record, children, isParentGone }) => ({
    ...metadataOf(record),
    children: [...children],
    ...(isParentGone ? { parentGone: true as const } : {}),
  }));
  return { session: sessionMetadataOf(session), ...(headId === undefined ? {} : { headId }), checkpoints, total };
}
