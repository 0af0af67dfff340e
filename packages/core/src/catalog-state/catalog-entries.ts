import type { AuditEvent, LoggedEvent } from "../model/audit.ts";
import type { CheckpointRecord } from "../model/checkpoint.ts";
import type { JsonObject } from "../model/context.ts";
import type { CheckpointId, SessionId } from "../model/ids.ts";
import type { Edge, Rewriting } from "../ports/catalog.ts";
import type { Erasing, Removed, Row, SessionEntry, TrashedRow } from "./session-state.ts";

/** What a catalog knows, or what changed of it: in each table, by its key, a value as it is now, or `null`: it is gone. */
export interface CatalogEntries {
  /** How many checkpoints were ever appended. */
  readonly lastCommit: number;
  readonly checkpoints: readonly Entry<CheckpointId, Row>[];
  readonly trash: readonly Entry<CheckpointId, TrashedRow>[];
  readonly sessions: readonly Entry<SessionId, SessionEntry>[];
  readonly edges: readonly Entry<string, Edge>[];
  readonly removals: readonly Entry<CheckpointId, Removed>[];
  readonly holds: readonly Entry<string, Date>[];
  readonly erasures: readonly Entry<CheckpointId, Erasing>[];
  /** Rows to be added to the audit log; those of before they were chained have neither number nor digest. */
  readonly audit: readonly (AuditEvent & Partial<Pick<LoggedEvent, "number" | "digest">>)[];
  /** The number of the first row that is left of the audit log, when older ones were removed. */
  readonly auditFrom?: number;
}

type Entry<K, V> = readonly [key: K, value: V | null];

/**
 * Makes entries of what `JSON.stringify` made of some, where times are texts and what was `undefined` is left out. Empty
 * tables may be left out too. The JSON is trusted: whoever reads it from a file checks before that it is as it was written.
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

/** All of them as a rewriting has them, but for the audit log. */
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
