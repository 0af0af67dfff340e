import {
  type BlobRef,
  type CheckpointId,
  type Edge,
  type Erasure,
  KEEP_TAG,
  parseTimedCursor,
  type QuotaUsage,
  type SessionId,
  type SessionPage,
  type SessionQuery,
  type Shield,
  type StoreUsage,
  timedCursor,
  type TrashPage,
  type TrashQuery,
} from "@workrail/core";
import { recordOf, requireSameTime, sessionOf, trashedRowOf } from "./rows.ts";
import type { CountedSessionRow, TrashedRow } from "./schema.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";

/** Column of the number of damaged checkpoints of a session, which is not stored in its row. */
export const DAMAGED_COUNT = "(SELECT count(*) FROM checkpoint WHERE session_id = session.id AND damaged = 1) AS damaged_count";

/** Condition for sessions that may be forgotten: nothing of them is left, and they have no keep tag. */
export const IS_FORGETTABLE: string = `(checkpoint_count = 0 AND NOT EXISTS (SELECT 1 FROM json_each(session.tags) WHERE value = '${KEEP_TAG}')
  AND NOT EXISTS (SELECT 1 FROM checkpoint WHERE session_id = session.id)
  AND NOT EXISTS (SELECT 1 FROM trashed WHERE session_id = session.id)
  AND NOT EXISTS (SELECT 1 FROM pending_removal WHERE session_id = session.id AND is_done = 0))`;

/** Reads a page of sessions, least recently used first: sessions with checkpoints, or with `empty`, forgettable sessions. */
export function sessionPage(reader: SqliteConnection, { project, unusedSince, empty = false, limit, after }: SessionQuery): SessionPage {
  const [time, id] = after === undefined ? [null, null] : parseTimedCursor(after);
  const rows = reader
    .statement(
      `WITH given (since, wanted, page_at, page_id) AS (VALUES (?, ?, ?, ?))
       SELECT session.*, ${DAMAGED_COUNT} FROM session, given WHERE ${empty ? IS_FORGETTABLE : "checkpoint_count > 0"}
         AND (since IS NULL OR last_accessed_at <= since)
         AND (wanted IS NULL OR EXISTS (SELECT 1 FROM checkpoint WHERE session_id = session.id AND project = wanted))
         AND (page_at IS NULL OR (last_accessed_at, id) > (page_at, page_id))
       ORDER BY last_accessed_at, id LIMIT ?`,
    )
    .all(unusedSince?.getTime() ?? null, project ?? null, time?.getTime() ?? null, id, limit + 1) as readonly CountedSessionRow[];
  const sessions = rows.slice(0, limit).map(sessionOf);
  const last = sessions.at(-1);
  return { sessions, next: rows.length > limit && last !== undefined ? timedCursor(last.lastAccessedAt, last.id) : undefined };
}

/** Reads a page of the trash, oldest entries first. */
export function trashPage(reader: SqliteConnection, { sessionId, checkpointId, limit, after }: TrashQuery): TrashPage {
  const [time, id] = after === undefined ? [null, null] : parseTimedCursor(after);
  const rows = reader
    .statement(
      `WITH given (wanted, page_at, page_id) AS (VALUES (?, ?, ?))
       SELECT id, trashed_at, record FROM trashed, given
       WHERE ${checkpointId === undefined ? "" : "id = ? AND"} (wanted IS NULL OR session_id = wanted) AND (page_at IS NULL OR (trashed_at, id) > (page_at, page_id))
       ORDER BY trashed_at, id LIMIT ?`,
    )
    .all(sessionId ?? null, time?.getTime() ?? null, id, ...(checkpointId === undefined ? [] : [checkpointId]), limit + 1) as readonly Pick<
    TrashedRow,
    "id" | "trashed_at" | "record"
  >[];
  const shown = rows.slice(0, limit);
  const entries = shown.map((row) => ({ record: recordOf(trashedRowOf(row)), trashedAt: new Date(row.trashed_at) }));
  const last = entries.at(-1);
  return { entries, next: rows.length > limit && last !== undefined ? timedCursor(last.trashedAt, last.record.id) : undefined };
}

/** Reads the usage of the whole store, in one statement, so that all numbers belong to one moment. */
export function storeUsage(reader: SqliteConnection): StoreUsage {
  const row = reader
    .statement(
      `SELECT (SELECT count(*) FROM session WHERE checkpoint_count > 0) AS sessions,
         (SELECT count(*) FROM checkpoint) AS checkpoints,
         (SELECT count(*) FROM checkpoint WHERE damaged = 1) AS damaged,
         (SELECT value FROM state WHERE key = 'live_bytes') AS liveBytes,
         (SELECT count(*) FROM trashed) AS trashed,
         (SELECT value FROM state WHERE key = 'trash_bytes') AS trashBytes,
         (SELECT count(*) FROM pending_removal WHERE is_done = 0) AS pendingRemovals,
         (SELECT count(*) FROM pending_removal WHERE is_done = 0 AND EXISTS (SELECT 1 FROM edge WHERE base = checkpoint_id)) AS neededRemovals,
         (SELECT max(value) FROM state WHERE key >= 'hold:' AND key < 'hold;' AND value > ?) AS heldUntil,
         (SELECT value FROM meta WHERE name = 'mendings') AS mendings`,
    )
    .get(Date.now());
  const { heldUntil, mendings, ...usage } = row as Omit<StoreUsage, "removalsHeldUntil" | "mendings"> &
    Readonly<Record<"heldUntil" | "mendings", number | null>>;
  return { ...usage, removalsHeldUntil: heldUntil === null ? undefined : new Date(heldUntil), mendings: mendings ?? undefined };
}

/** Reads the unfinished erasures. */
export function erasuresOf(reader: SqliteConnection): readonly Erasure[] {
  const rows = reader.statement("SELECT * FROM erasure").all() as readonly {
    readonly blob: BlobRef;
    readonly checkpoint_id: CheckpointId;
    readonly session_id: SessionId;
  }[];
  return rows.map(({ blob, checkpoint_id: checkpointId, session_id: sessionId }) => {
    return { checkpointId, sessionId, blob, edges: reader.statement(EDGES_TO).all(checkpointId) as readonly Edge[] };
  });
}

/** Edges of existing checkpoints that may be encoded against a removed one, directly or through other removed ones. */
const IS_KNOWN = "EXISTS (SELECT 1 FROM checkpoint WHERE id = dependent UNION ALL SELECT 1 FROM trashed WHERE id = dependent)";
const EDGES_TO = `WITH RECURSIVE gone (id) AS (VALUES (?) UNION SELECT dependent FROM gone JOIN edge ON base = gone.id WHERE NOT ${IS_KNOWN})
  SELECT dependent, base FROM gone JOIN edge ON base = gone.id WHERE ${IS_KNOWN}`;

/** Returns the bytes of a session and of the store, trash included in the latter, that quotas are compared with. */
export function bytesWith(connection: SqliteConnection, sessionId: SessionId): QuotaUsage {
  const row = connection
    .statement(
      `SELECT coalesce((SELECT total_bytes FROM session WHERE id = ?), 0) AS session,
         (SELECT sum(value) FROM state WHERE key IN ('live_bytes', 'trash_bytes')) AS store`,
    )
    .get(sessionId);
  return row as QuotaUsage;
}

/** Reads the trash of one session. */
export function trashOf(connection: SqliteConnection, sessionId: SessionId): readonly { checkpointId: CheckpointId; at: Date }[] {
  const sql = "SELECT id, trashed_at, record ->> 'trashed_at' AS recorded FROM trashed WHERE session_id = ?";
  const rows = connection.statement(sql).all(sessionId) as { id: CheckpointId; trashed_at: number; recorded: number }[];
  return rows.map(({ id, trashed_at: at, recorded }) => {
    requireSameTime(recorded, at);
    return { checkpointId: id, at: new Date(at) };
  });
}

/** Reads the shields of one session, of live checkpoints and of checkpoints in the trash. */
export function shieldsOf(connection: SqliteConnection, sessionId: SessionId): readonly Shield[] {
  const rows = connection.statement(SHIELDS).all(sessionId, sessionId) as { id: CheckpointId; shielded_until: number }[];
  return rows.map((row) => ({ checkpointId: row.id, until: new Date(row.shielded_until) }));
}

const SHIELDS = `SELECT id, shielded_until FROM checkpoint WHERE session_id = ? AND shielded_until IS NOT NULL
  UNION ALL SELECT id, record ->> 'shielded_until' FROM trashed
    WHERE session_id = ? AND record ->> 'shielded_until' IS NOT NULL`;
