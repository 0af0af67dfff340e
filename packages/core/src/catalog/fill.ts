import type { AuditEvent } from "../model/audit.ts";
import type { CheckpointRecord, NewRecord } from "../model/checkpoint.ts";
import type { BlobRef, CheckpointId, SessionId } from "../model/ids.ts";
import type { SessionFacts } from "../model/session.ts";
import type { BlobKey } from "../ports/blob-store.ts";
import type { UnchainedContent } from "./catalog-port.ts";
import { type CheckpointRow, more, type NewRow, type SessionRow } from "./rows.ts";

/** Data that survived a catalog, and the audit row that records the loss. */
export interface SurvivingData {
  /** In the order of their commits. */
  readonly records: readonly NewRecord[];
  readonly sessions: readonly SessionFacts[];
  readonly audit: AuditEvent;
}

type RefOf = (key: BlobKey) => BlobRef;

/** Makes the content of a new catalog; `refOf` tells where blobs are. Removed checkpoints whose blobs may exist become pending removals. */
export function fill({ records, sessions, audit }: SurvivingData, refOf: RefOf): UnchainedContent {
  const known = new Map(sessions.map((facts) => [facts.sessionId, indexed(facts)]));
  const rows = new Map<SessionId, SessionRow>(sessions.map((facts) => [facts.sessionId, rowOf(facts, audit.at)]));
  const checkpoints = new Map<CheckpointId, CheckpointRow>();
  for (const record of records) {
    const facts = known.get(record.sessionId);
    if (facts?.tombstones.has(record.id) === true) continue;
    const session =
      rows.get(record.sessionId) ?? rowOf({ ...NOTHING_KNOWN, sessionId: record.sessionId, createdAt: record.createdAt }, audit.at);
    const sequence = session.lastSequence + 1;
    const trashedAt = facts?.trash.get(record.id);
    const row = { commit: checkpoints.size + 1, record: placed(record, sequence, facts?.shields.get(record.id)), trashedAt };
    checkpoints.set(record.id, row);
    rows.set(session.id, { ...(trashedAt === undefined ? more(session, record) : session), lastSequence: sequence });
  }
  const kept = new Set([...checkpoints.values()].map(({ record }) => record.blob));
  const gone = goneOf(sessions, refOf).filter(({ now }) => !kept.has(now.blob));
  const edges = records.flatMap(({ id, baseId }) => (baseId === null ? [] : [{ dependent: id, base: baseId }]));
  return {
    rows: [
      ...[...rows.values()].map((now): NewRow => ({ table: "session", now })),
      ...[...checkpoints.values()].map((now): NewRow => ({ table: "checkpoint", now })),
      ...edges.map((now): NewRow => ({ table: "edge", now })),
      ...gone,
    ],
    audit: [audit],
    facts: [],
  };
}

/** Facts of a session of which none survived. */
export const NOTHING_KNOWN: Omit<SessionFacts, "sessionId" | "createdAt"> = {
  tags: [],
  pins: [],
  tombstones: [],
  erasing: [],
  oldestLive: null,
  trash: [],
  shields: [],
};

/** The real time of the last use is lost. A session must not be removed too early for lack of use. */
function rowOf(
  { sessionId: id, createdAt, tags, pins, oldestLive }: Pick<SessionFacts, "sessionId" | "createdAt" | "tags" | "pins" | "oldestLive">,
  lastAccessedAt: Date,
): SessionRow {
  const counts = { lastSequence: 0, checkpointCount: 0, asideCount: 0, totalBytes: 0 };
  return { id, createdAt, lastAccessedAt, tags, pins, oldestLive, ...counts };
}

function placed(record: NewRecord, sequence: number, shieldedUntil: Date | undefined): CheckpointRecord {
  return { ...record, sequence, lastAccessedAt: record.createdAt, damaged: false, shieldedUntil };
}

function indexed({ tombstones, trash, shields }: SessionFacts) {
  return {
    tombstones: new Set(tombstones),
    trash: new Map(trash.map(({ checkpointId, at }) => [checkpointId, at])),
    shields: new Map(shields.map(({ checkpointId, until }) => [checkpointId, until])),
  };
}

/** Makes the rows of removed checkpoints. In another session, with another blob, the id of one may live. */
function goneOf(sessions: readonly SessionFacts[], refOf: RefOf): readonly Extract<NewRow, { table: "removal" | "erasure" }>[] {
  return sessions.flatMap(({ sessionId, tombstones, erasing }) => {
    const gone = (checkpointId: CheckpointId) => ({ blob: refOf({ sessionId, checkpointId }), checkpointId, sessionId });
    return [
      ...tombstones.map((id) => ({ table: "removal", now: { ...gone(id), isDone: false } }) as const),
      ...erasing.map((id) => ({ table: "erasure", now: gone(id) }) as const),
    ];
  });
}
