import {
  type Answers,
  type BlobRef,
  type CheckpointId,
  type CheckpointRecord,
  type Digest,
  foldedLabels,
  GIT_STATE,
  isJsonObject,
  type JsonObject,
  type KeyId,
  type LayerSummary,
  type LoggedEvent,
  parseJson,
  type SessionId,
  type Tables,
} from "@workrail/core";
import type { ReadCheckpoint, RemovedRow } from "./queries/read-queries.ts";
import type { AuditColumns, CheckpointColumns, SessionColumns } from "./schema.ts";

/** Makes a row of a catalog. Ids and digests are not parsed again: they were parsed before the row was written. */
export function checkpointOf(row: ReadCheckpoint): Tables["checkpoint"] {
  const record: CheckpointRecord = {
    id: row.id as CheckpointId,
    sessionId: row.session_id as SessionId,
    parentId: row.parent_id as CheckpointId | null,
    kind: row.kind,
    createdAt: new Date(row.created_at),
    agentId: row.agent_id ?? undefined,
    workflowId: row.workflow_id ?? undefined,
    project: row.project ?? undefined,
    name: row.name ?? undefined,
    tags: JSON.parse(row.tags) as string[],
    attributes: parseJson(row.attributes) as JsonObject,
    exactDigest: row.exact_digest as Digest,
    canonicalDigest: row.canonical_digest as Digest,
    contextBytes: row.context_bytes,
    layers: row.layers === null ? undefined : (JSON.parse(row.layers) as LayerSummary),
    writer: row.writer,
    sequence: row.sequence,
    blob: row.blob as BlobRef,
    blobBytes: row.blob_bytes,
    baseId: row.base_id as CheckpointId | null,
    keyId: row.key_id as KeyId | null,
    lastAccessedAt: new Date(row.last_accessed_at),
    damaged: row.damaged,
    shieldedUntil: row.shielded_until === null ? undefined : new Date(row.shielded_until),
  };
  return { commit: row.ordinal, record, trashedAt: row.trashed_at === null ? undefined : new Date(row.trashed_at) };
}

/** @param ordinal the place of the checkpoint among the commits. */
export function columnsOf(
  tenant: string,
  { record, trashedAt }: Pick<Tables["checkpoint"], "record" | "trashedAt">,
  ordinal: number,
): CheckpointColumns {
  return {
    tenant_id: tenant,
    ordinal,
    id: record.id,
    session_id: record.sessionId,
    sequence: record.sequence,
    parent_id: record.parentId,
    kind: record.kind,
    created_at: record.createdAt.getTime(),
    last_accessed_at: record.lastAccessedAt.getTime(),
    agent_id: record.agentId ?? null,
    workflow_id: record.workflowId ?? null,
    project: record.project ?? null,
    name: record.name ?? null,
    tags: JSON.stringify(record.tags),
    attributes: JSON.stringify(record.attributes),
    exact_digest: record.exactDigest,
    canonical_digest: record.canonicalDigest,
    context_bytes: record.contextBytes,
    layers: record.layers === undefined ? null : JSON.stringify(record.layers),
    writer: record.writer,
    blob: record.blob,
    blob_bytes: record.blobBytes,
    base_id: record.baseId,
    key_id: record.keyId,
    damaged: record.damaged,
    shielded_until: record.shieldedUntil?.getTime() ?? null,
    trashed_at: trashedAt?.getTime() ?? null,
    folded: foldedLabels(record),
    folded_name: record.name?.toLowerCase() ?? null,
    phase: textIn(record.attributes, "phase"),
    repository: textIn(record.attributes[GIT_STATE], "commonDir"),
  };
}

export function sessionOf(row: SessionColumns): Tables["session"] {
  return {
    id: row.id as SessionId,
    createdAt: new Date(row.created_at),
    lastAccessedAt: new Date(row.last_accessed_at),
    tags: JSON.parse(row.tags) as string[],
    pins: JSON.parse(row.pins) as string[],
    oldestLive: row.oldest_live as CheckpointId | null,
    lastSequence: row.last_sequence,
    checkpointCount: row.checkpoint_count,
    asideCount: row.aside_count,
    totalBytes: row.total_bytes,
  };
}

export function listedSessionOf(row: SessionColumns & { readonly damaged_count: number }): Answers["sessions"][number] {
  return { ...sessionOf(row), damagedCount: row.damaged_count };
}

export function columnsOfSession(tenant: string, session: Tables["session"]): SessionColumns {
  return {
    tenant_id: tenant,
    id: session.id,
    created_at: session.createdAt.getTime(),
    last_accessed_at: session.lastAccessedAt.getTime(),
    tags: JSON.stringify(session.tags),
    pins: JSON.stringify(session.pins),
    oldest_live: session.oldestLive,
    last_sequence: session.lastSequence,
    checkpoint_count: session.checkpointCount,
    aside_count: session.asideCount,
    total_bytes: session.totalBytes,
  };
}

export function erasureOf(row: RemovedRow): Tables["erasure"] {
  return { blob: row.blob as BlobRef, checkpointId: row.checkpoint_id as CheckpointId, sessionId: row.session_id as SessionId };
}

export function loggedOf(row: AuditColumns): LoggedEvent {
  return {
    at: new Date(row.at),
    action: row.action,
    sessionId: (row.session_id ?? undefined) as SessionId | undefined,
    checkpointId: (row.checkpoint_id ?? undefined) as CheckpointId | undefined,
    agentId: row.agent_id ?? undefined,
    ...(row.reason === null ? {} : { reason: row.reason }),
    ...(row.subject === null ? {} : { subject: row.subject }),
    number: row.number,
    digest: row.digest ?? undefined,
  };
}

export function columnsOfEvent(tenant: string, event: LoggedEvent): AuditColumns {
  return {
    tenant_id: tenant,
    number: event.number,
    at: event.at.getTime(),
    action: event.action,
    session_id: event.sessionId ?? null,
    checkpoint_id: event.checkpointId ?? null,
    agent_id: event.agentId ?? null,
    reason: event.reason ?? null,
    digest: event.digest ?? null,
    subject: event.subject ?? null,
  };
}

function textIn(object: unknown, key: string): string | null {
  const value = isJsonObject(object) ? object[key] : undefined;
  return typeof value === "string" ? value : null;
}
