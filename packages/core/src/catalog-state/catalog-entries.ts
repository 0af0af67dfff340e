import type { AuditEvent, LoggedEvent } from "../model/audit.ts";
import type { CheckpointRecord } from "../model/checkpoint.ts";
import type { JsonObject } from "../model/context.ts";
import type { CheckpointId, SessionId } from "../model/ids.ts";
import type { Edge, Rewriting } from "../ports/catalog.ts";
import type { Erasing, Removed, Row, SessionEntry, TrashedRow } from "./session-state.ts";

/** Content of a catalog, or its changes: the current value of each key in each table; `null` for a deleted one. */
export interface CatalogEntries {
  /** Number of the last commit: how many checkpoints were ever appended. */
  readonly lastCommit: number;
  readonly checkpoints: readonly Entry<CheckpointId, Row>[];
  readonly trash: readonly Entry<CheckpointId, TrashedRow>[];
  readonly sessions: readonly Entry<SessionId, SessionEntry>[];
  readonly edges: readonly Entry<string, Edge>[];
  readonly removals: readonly Entry<CheckpointId, Removed>[];
  readonly holds: readonly Entry<string, Date>[];
  readonly erasures: readonly Entry<CheckpointId, Erasing>[];
  /** New rows of the audit log. Rows that are older than the chain have neither number nor digest. */
  readonly audit: readonly (AuditEvent & Partial<Pick<LoggedEvent, "number" | "digest">>)[];
  /** Number of the first row that is left of the audit log, when older rows were removed. */
  readonly auditFrom?: number;
}

type Entry<K, V> = readonly [key: K, value: V | null];

/**
 * Restores entries from the result of `JSON.stringify`, which turns times into texts and omits `undefined`. Empty tables may
 * be missing. The JSON is not validated: a caller that reads it from a file must check before that it is unchanged.
 */
export function entriesFromJson(json: JsonObject): CatalogEntries {
  const { lastCommit, checkpoints, trash, sessions, edges, removals, holds, erasures, audit, auditFrom } = {
    ...NOTHING,
    ...json,
  } as unknown as CatalogEntries;
  return {
    ...(auditFrom === undefined ? {} : { auditFrom }),
    lastCommit,
    checkpoints: mapped(checkpoints, (row) => ({ ...row, record: dated(row.record) })),
    trash: mapped(trash, (row) => ({ ...row, record: dated(row.record), trashedAt: new Date(row.trashedAt) })),
    sessions: mapped(sessions, (session) => {
      return { ...session, createdAt: new Date(session.createdAt), lastAccessedAt: new Date(session.lastAccessedAt) };
    }),
    edges,
    removals,
    holds: mapped(holds, (until) => new Date(until)),
    erasures,
    audit: audit.map((event) => {
      const { sessionId, checkpointId, agentId } = event;
      return { ...event, sessionId, checkpointId, agentId, at: new Date(event.at) };
    }),
  };
}

/** Returns the entries after a rewriting, except for the audit log. */
export function rewriteEntries(entries: CatalogEntries, { record, labels }: Rewriting): CatalogEntries {
  return {
    ...entries,
    checkpoints: mapped(entries.checkpoints, (row) => ({ ...row, record: record(row.record) })),
    trash: mapped(entries.trash, (row) => ({ ...row, record: record(row.record) })),
    sessions: mapped(entries.sessions, (session) => labels(session)),
  };
}

const NOTHING = { checkpoints: [], trash: [], sessions: [], edges: [], removals: [], holds: [], erasures: [], audit: [] };

function mapped<K, V>(entries: readonly Entry<K, V>[], revive: (value: V) => V): readonly Entry<K, V>[] {
  return entries.map(([key, value]) => [key, value === null ? null : revive(value)]);
}

function dated(record: CheckpointRecord): CheckpointRecord {
  const { agentId, workflowId, project, name, layers } = record;
  const shieldedUntil = record.shieldedUntil === undefined ? undefined : new Date(record.shieldedUntil);
  const dates = { createdAt: new Date(record.createdAt), lastAccessedAt: new Date(record.lastAccessedAt), shieldedUntil };
  return { ...record, agentId, workflowId, project, name, layers, ...dates };
}
