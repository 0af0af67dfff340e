import type { CheckpointRecord, JsonObject } from "@workrail/core";
import type { Entry, JournalEntries } from "./journal-entries.ts";

/**
 * Restores entries from the result of `JSON.stringify`, which turns times into texts and omits `undefined`. Empty tables may
 * be missing. The JSON is not validated: the caller checks before that it is unchanged.
 */
export function entriesFromJson(json: JsonObject): JournalEntries {
  const { checkpoints, trash, sessions, holds, audit, ...rest } = { ...NOTHING, ...json } as unknown as JournalEntries;
  return {
    ...rest,
    checkpoints: revived(checkpoints, (value) => ({ ...value, record: dated(value.record) })),
    trash: revived(trash, (value) => ({ ...value, record: dated(value.record), trashedAt: new Date(value.trashedAt) })),
    sessions: revived(sessions, (session) => {
      return { ...session, createdAt: new Date(session.createdAt), lastAccessedAt: new Date(session.lastAccessedAt) };
    }),
    holds: revived(holds, (until) => new Date(until)),
    audit: audit.map((event) => {
      const { sessionId, checkpointId, agentId } = event;
      return { ...event, sessionId, checkpointId, agentId, at: new Date(event.at) };
    }),
  };
}

const NOTHING: Omit<JournalEntries, "lastCommit"> = {
  checkpoints: [],
  trash: [],
  sessions: [],
  edges: [],
  removals: [],
  holds: [],
  erasures: [],
  audit: [],
};

function revived<K, V>(entries: readonly Entry<K, V>[], revive: (value: V) => V): readonly Entry<K, V>[] {
  return entries.map(([key, value]) => [key, value === null ? null : revive(value)]);
}

function dated(record: CheckpointRecord): CheckpointRecord {
  const { agentId, workflowId, project, name, layers } = record;
  const shieldedUntil = record.shieldedUntil === undefined ? undefined : new Date(record.shieldedUntil);
  const dates = { createdAt: new Date(record.createdAt), lastAccessedAt: new Date(record.lastAccessedAt), shieldedUntil };
  return { ...record, agentId, workflowId, project, name, layers, ...dates };
}
