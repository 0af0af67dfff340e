import { blobRefOf } from "@workrail/blob-files";
import {
  type Answers,
  type AuditAction,
  type BlobRef,
  type CheckpointId,
  type CheckpointRecord,
  type Digest,
  foldedLabels,
  type JsonObject,
  type KeyId,
  type LayerSummary,
  type LoggedEvent,
  parseJson,
  type SessionId,
  type Tables,
} from "@workrail/core";
import { CHECKPOINT_COLUMNS, expectSummed, SESSION_COLUMNS, summed, type Unsummed } from "./row-checksum.ts";
import type { AuditRow, CheckpointRow, CountedSessionRow, SessionRow, TrashedRow } from "./schema.ts";
import { databaseDamaged } from "./storage-errors.ts";

/**
 * Makes a record of a row. Ids and digests are not parsed again: they were parsed before the row was written.
 *
 * @throws an error with the code SQLITE_CORRUPT, like the functions below, when the row is not as it was written.
 */
function recordOf(row: CheckpointRow): CheckpointRecord {
  expectSummed(row, CHECKPOINT_COLUMNS);
  return {
    id: row.id as CheckpointId,
    sessionId: row.session_id as SessionId,
    parentId: row.parent_id as CheckpointId | null,
    kind: row.kind,
    createdAt: new Date(row.created_at),
    agentId: row.agent_id ?? undefined,
    workflowId: row.workflow_id ?? undefined,
    project: row.project ?? undefined,
    name: row.name ?? undefined,
    tags: labelsOf(row.tags),
    attributes: row.attributes === "{}" ? {} : (parsed(row.attributes, parseJson) as JsonObject),
    exactDigest: row.exact_digest as Digest,
    canonicalDigest: row.canonical_digest as Digest,
    contextBytes: row.context_bytes,
    layers: row.layers === null ? undefined : (parsed(row.layers) as LayerSummary),
    writer: row.writer,
    sequence: row.sequence,
    blob: row.blob as BlobRef,
    blobBytes: row.blob_bytes,
    baseId: row.base_id as CheckpointId | null,
    keyId: row.key_id as KeyId | null,
    lastAccessedAt: new Date(row.last_accessed_at),
    damaged: row.damaged === 1,
    shieldedUntil: row.shielded_until === null ? undefined : new Date(row.shielded_until),
  };
}

/** Makes the columns of a record as they are now. @param ordinal the place of the checkpoint among the commits of all sessions. */
export function columnsOf(record: CheckpointRecord, ordinal: number): Unsummed<CheckpointRow> {
  return {
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
    damaged: record.damaged ? 1 : 0,
    folded: foldedLabels(record),
    folded_name: record.name?.toLowerCase() ?? null,
    shielded_until: record.shieldedUntil?.getTime() ?? null,
  };
}

export function liveOf(row: CheckpointRow): Tables["checkpoint"] {
  return { commit: row.ordinal, record: recordOf(row), trashedAt: undefined };
}

export function trashedOf(trashed: Pick<TrashedRow, "record" | "trashed_at">): Tables["checkpoint"] {
  const row = trashedRowOf(trashed);
  return { commit: row.ordinal, record: recordOf(row), trashedAt: new Date(trashed.trashed_at) };
}

export function sessionOf(row: SessionRow): Tables["session"] {
  expectSummed(row, SESSION_COLUMNS);
  return {
    id: row.id as SessionId,
    createdAt: new Date(row.created_at),
    lastAccessedAt: new Date(row.last_accessed_at),
    tags: labelsOf(row.tags),
    pins: labelsOf(row.pins),
    oldestLive: row.oldest_live as CheckpointId | null,
    lastSequence: row.last_sequence,
    checkpointCount: row.checkpoint_count,
    asideCount: row.aside_count,
    totalBytes: row.total_bytes,
  };
}

export function listedSessionOf(row: CountedSessionRow): Answers["sessions"][number] {
  return { ...sessionOf(row), damagedCount: row.damaged_count };
}

export function columnsOfSession(session: Tables["session"]): Unsummed<SessionRow> {
  return {
    id: session.id,
    created_at: session.createdAt.getTime(),
    last_accessed_at: session.lastAccessedAt.getTime(),
    tags: JSON.stringify(session.tags),
    pins: JSON.stringify(session.pins),
    checkpoint_count: session.checkpointCount,
    total_bytes: session.totalBytes,
    last_sequence: session.lastSequence,
    oldest_live: session.oldestLive,
    aside_count: session.asideCount,
  };
}

/** Parses tags or pins. */
function labelsOf(text: string): readonly string[] {
  return text === "[]" ? [] : (parsed(text) as string[]);
}

/** JSON of a row of `checkpoint` for the trash: the row with a new checksum, and the time when it was trashed. */
export function trashedRecord(row: Unsummed<CheckpointRow>, at: number): string {
  return JSON.stringify({ ...summed(row, CHECKPOINT_COLUMNS), trashed_at: at });
}

/** Returns the row of `checkpoint` as it was when it went into the trash. */
export function trashedRowOf({ record, trashed_at: at }: Pick<TrashedRow, "record" | "trashed_at">): CheckpointRow {
  const row = parsed(record) as CheckpointRow & Pick<TrashedRow, "trashed_at">;
  // The time decides when the checkpoint is removed, so the row has it twice.
  if (row.trashed_at !== at) throw databaseDamaged("A row of the catalog does not say when it came into the trash.");
  expectSummed(row, CHECKPOINT_COLUMNS);
  return row;
}

/** `trashedRowOf` for a whole row of `trashed`. Also compares its columns with the record, which repeats them. */
export function checkedTrashed(trashed: TrashedRow): CheckpointRow {
  const row = trashedRowOf(trashed);
  const different = IN_RECORD.find((column) => row[column] !== trashed[column]);
  if (different !== undefined) throw databaseDamaged(`A row of the trash and its record differ in ${different}.`);
  return row;
}

const IN_RECORD = ["session_id", "id", "blob", "blob_bytes"] as const;

/**
 * True when the redundant columns of a row agree and its texts are in the form in which they are written. A row with more than one
 * damaged bit hardly ever agrees.
 */
export function isConsistent(row: CheckpointRow): boolean {
  const record = recordOf(row);
  const again = summed(columnsOf(record, row.ordinal), CHECKPOINT_COLUMNS);
  return again.checksum === row.checksum && row.blob === blobRefOf({ sessionId: record.sessionId, checkpointId: record.id });
}

export function loggedOf(row: AuditRow): LoggedEvent {
  const missing = EVENT_COLUMNS.find((column) => row[column] === undefined);
  if (missing !== undefined) throw databaseDamaged(`A row of the catalog has no ${missing}.`);
  return {
    at: new Date(row.at),
    action: row.action as AuditAction,
    sessionId: (row.session_id ?? undefined) as SessionId | undefined,
    checkpointId: (row.checkpoint_id ?? undefined) as CheckpointId | undefined,
    agentId: row.agent_id ?? undefined,
    ...(row.reason === null ? {} : { reason: row.reason }),
    ...(typeof row.subject === "string" ? { subject: row.subject } : {}),
    number: row.id,
    digest: row.digest === null ? undefined : Buffer.from(row.digest).toString("hex"),
  };
}

const EVENT_COLUMNS = ["at", "action", "session_id", "checkpoint_id", "agent_id", "reason"] as const satisfies readonly (keyof AuditRow)[];

/** Parses a text of a row. @throws an error with the code SQLITE_CORRUPT when it is not JSON. */
export function parsed(text: string, parse: (text: string) => unknown = JSON.parse): unknown {
  try {
    return parse(text);
  } catch (cause) {
    throw databaseDamaged("A row of the catalog contains invalid JSON.", cause);
  }
}
