import type { CheckpointRecord } from "../../model/checkpoint.ts";
import type { PageCursor, SessionId } from "../../model/ids.ts";
import { KEEP_TAG, type Session } from "../../model/session.ts";
import type { CatalogReader } from "../catalog-port.ts";
import { headOf, type ListedSession, type Reads, type SessionWhere } from "../reads.ts";
import { parseTimedCursor, timedCursor } from "../page-cursor.ts";

/** Returns a session and its head, from one read. */
export async function findSessionAndHead(
  catalog: CatalogReader,
  id: SessionId,
): Promise<{ readonly session: Session | undefined; readonly head: CheckpointRecord | undefined }> {
  const { row, damagedCount, head } = await catalog.read({ ...sessionReads(id), head: headOf(id) });
  return { session: row && sessionOf({ ...row, damagedCount }), head: head[0]?.record };
}

/** Returns a session; `undefined` when nothing was ever saved to it. */
export async function findSession(catalog: CatalogReader, id: SessionId): Promise<Session | undefined> {
  const { row, damagedCount } = await catalog.read(sessionReads(id));
  return row && sessionOf({ ...row, damagedCount });
}

function sessionReads(id: SessionId) {
  return {
    row: { of: "session", id },
    damagedCount: { of: "count", where: { state: "live", sessionId: id, damaged: true } },
  } as const satisfies Reads;
}

export interface SessionQuery {
  /** Only sessions with a checkpoint of this project. */
  readonly project?: string | undefined;
  /** Only sessions not used after this time. */
  readonly unusedSince?: Date | undefined;
  /** True: only sessions that can be forgotten, instead of sessions with live checkpoints. Default `false`. */
  readonly empty?: boolean | undefined;
  readonly limit: number;
  /** Continue after this page. */
  readonly after?: PageCursor | undefined;
}

export interface SessionPage {
  readonly sessions: readonly Session[];
  /** Absent on the last page. */
  readonly next: PageCursor | undefined;
}

/**
 * Lists sessions with live checkpoints, or with `empty` the sessions that can be forgotten.
 *
 * @throws INVALID_INPUT when `after` is not a cursor.
 */
export async function querySessions(catalog: CatalogReader, query: SessionQuery): Promise<SessionPage> {
  const { project, unusedSince, empty = false, limit } = query;
  const where: SessionWhere = { project, unusedSince, has: empty ? "nothing" : "live", withoutTag: empty ? KEEP_TAG : undefined };
  const after = query.after === undefined ? undefined : parseTimedCursor(query.after);
  const { rows } = await catalog.read({ rows: { of: "sessions", where, limit: limit + 1, after } });
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  return { sessions: page.map(sessionOf), next: last && timedCursor(last.lastAccessedAt, last.id) };
}

/** Converts a row to a session. */
function sessionOf(row: ListedSession): Session {
  const { id, createdAt, lastAccessedAt, tags, pins, checkpointCount, asideCount, damagedCount, totalBytes } = row;
  const totalSizeBytes = totalBytes;
  return {
    id,
    createdAt,
    lastAccessedAt,
    tags,
    pins,
    checkpointCount: checkpointCount - asideCount,
    asideCount,
    damagedCount,
    totalSizeBytes,
  };
}
