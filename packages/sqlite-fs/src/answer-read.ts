import type { Answers, Read, Tables } from "@workrail/core";
import { auditRows } from "./audit-queries.ts";
import { allOf, checkpointQuery, countQuery, oneOf, placesQuery, planless, type Table } from "./checkpoint-queries.ts";
import { contradictionsOf } from "./discrepancies.ts";
import { listedSessionOf, liveOf, sessionOf, trashedOf } from "./rows.ts";
import type { CheckpointRow, CountedSessionRow, SessionRow, TrashedRow } from "./schema.ts";
import { sql, type Sql } from "./sql.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";
import { databaseDamaged } from "./storage-errors.ts";

/** Read that the database alone answers. */
export type StoredRead = Exclude<Read, { readonly of: "blob" | "mark" }>;

type Select = Extract<Read, { readonly of: "checkpoints" }>;
type Checkpoint = Tables["checkpoint"];

/**
 * Answers a read from the tables. Verifies each row that it returns.
 *
 * @throws an error with the code SQLITE_CORRUPT when a row is not as it was written.
 */
export function answerRead<R extends StoredRead>(connection: SqliteConnection, read: R): Answers[R["of"]] {
  return ANSWERS[read.of](connection, read as never) as Answers[R["of"]];
}

const ANSWERS: {
  readonly [K in StoredRead["of"]]: (on: SqliteConnection, read: Extract<StoredRead, { readonly of: K }>) => Answers[K];
} = {
  checkpoint(on, { id }) {
    const live = on.statement("SELECT * FROM checkpoint WHERE id = ?").get(id) as CheckpointRow | undefined;
    if (live !== undefined) return liveOf(live);
    const trashed = on.statement("SELECT * FROM trashed WHERE id = ?").get(id) as TrashedRow | undefined;
    return trashed && trashedOf(trashed);
  },
  checkpoints: selected,
  places(on, read) {
    if (read.limit === 0) return [];
    const rows = tablesOf(read.where).flatMap((table) => all(on, placesQuery(read, table)) as readonly PlaceRow[]);
    const sign = read.order === "newest" ? -1 : 1;
    const sorted = read.order === "any" ? rows : rows.toSorted((one, other) => sign * (one.place - other.place));
    return sorted.slice(0, read.limit).map(({ id, sequence }) => ({ id, sequence }));
  },
  count(on, { where }) {
    const rows = tablesOf(where).flatMap((table) => all(on, countQuery(where, table)) as readonly { readonly total: number }[]);
    return rows.reduce((sum, { total }) => sum + total, 0);
  },
  session(on, { id }) {
    const row = on.statement("SELECT * FROM session WHERE id = ?").get(id) as SessionRow | undefined;
    return row && sessionOf(row);
  },
  sessions: (on, read) => (all(on, sessionsQuery(read)) as readonly CountedSessionRow[]).map(listedSessionOf),
  edges(on, { dependents, bases, sessionIds }) {
    const places = bases === undefined && sessionIds !== undefined ? inSessions(sessionIds) : undefined;
    const conditions = [
      dependents === undefined ? undefined : oneOf(sql`dependent`, dependents),
      bases === undefined ? places : oneOf(sql`base`, bases),
    ];
    const where = allOf(conditions.filter((each) => each !== undefined));
    return all(on, sql`SELECT dependent, base FROM edge WHERE ${where}`) as Answers["edges"];
  },
  removals(on, { blobs, sessionId, isDone, isNoBase, limit }) {
    const conditions = [
      blobs === undefined ? undefined : oneOf(sql`blob`, blobs),
      sessionId === undefined ? undefined : sql`session_id = ${sessionId}`,
      isDone === undefined ? undefined : sql`is_done = 0`,
      isNoBase === undefined ? undefined : sql`NOT EXISTS (SELECT 1 FROM edge WHERE edge.base = pending_removal.checkpoint_id)`,
    ];
    const where = allOf(conditions.filter((each) => each !== undefined));
    const query = sql`SELECT blob, checkpoint_id AS checkpointId, session_id AS sessionId, is_done AS isDone FROM pending_removal
      WHERE ${where} LIMIT ${planless(limit ?? -1)}`;
    const rows = all(on, query) as readonly (Tables["erasure"] & { readonly isDone: 0 | 1 })[];
    return rows.map((row) => ({ ...row, isDone: row.isDone === 1 }));
  },
  erasures(on, { blobs, sessionId, checkpointId }) {
    const conditions = [
      blobs === undefined ? undefined : oneOf(sql`blob`, blobs),
      sessionId === undefined ? undefined : sql`session_id = ${sessionId}`,
      checkpointId === undefined ? undefined : sql`checkpoint_id = ${checkpointId}`,
    ];
    const where = allOf(conditions.filter((each) => each !== undefined));
    return all(
      on,
      sql`SELECT blob, checkpoint_id AS checkpointId, session_id AS sessionId FROM erasure WHERE ${where}`,
    ) as Answers["erasures"];
  },
  holds(on) {
    const rows = on.statement("SELECT substr(key, 6) AS holder, value FROM state WHERE key >= 'hold:' AND key < 'hold;'").all();
    return (rows as readonly { holder: string; value: number }[]).map(({ holder, value }) => ({ holder, until: new Date(value) }));
  },
  bytes(on) {
    const row = on.statement("SELECT sum(value) AS bytes FROM state WHERE key IN ('live_bytes', 'trash_bytes')").get();
    return (row as { readonly bytes: number }).bytes;
  },
  totals(on) {
    const { mendings, ...totals } = on.statement(TOTALS).get() as Omit<Answers["totals"], "mendings"> & { mendings: number | null };
    return { ...totals, mendings: mendings ?? undefined };
  },
  audit: (on, { query }) => auditRows(on, query),
  contradictions: contradictionsOf,
};

interface PlaceRow {
  readonly id: Checkpoint["record"]["id"];
  readonly sequence: number;
  readonly place: number;
}

function tablesOf({ state }: Select["where"]): readonly Table[] {
  return state === "any" ? ["live", "trash"] : [state];
}

function selected(on: SqliteConnection, select: Select): readonly Checkpoint[] {
  const { where, order, limit, offset = 0 } = select;
  if (limit === 0) return [];
  const [table, other] = order === "trashed" ? (["trash"] as const) : tablesOf(where);
  if (table === undefined) return [];
  if (other === undefined && where.damaged !== false) return rowsOf(on, select, table);
  const whole = { ...select, limit: limit + offset, offset: 0 };
  const rows = [table, ...(other === undefined ? [] : [other])].flatMap((each) => undamaged(on, whole, each));
  return inOrder(rows, select).slice(offset, offset + limit);
}

function rowsOf(on: SqliteConnection, select: Select, table: Table): readonly Checkpoint[] {
  const query = checkpointQuery(select, table);
  const found = all(on, query);
  const rows = table === "live" ? (found as readonly CheckpointRow[]).map(liveOf) : (found as readonly TrashedRow[]).map(trashedOf);
  const { withoutTag } = select.where;
  // The rows of `checkpoint_tag` have no checksum: compare with the tags of the record.
  if (withoutTag !== undefined && rows.some(({ record }) => record.tags.includes(withoutTag))) {
    throw databaseDamaged("A tag of the catalog is not there that a checkpoint has.");
  }
  return rows;
}

/**
 * Reads rows that may have to be undamaged. Reads rows that are marked as damaged too, which verifies their checksums. A condition in
 * SQL would skip a row whose mark is only a flipped bit.
 */
function undamaged(on: SqliteConnection, select: Select, table: Table): readonly Checkpoint[] {
  if (select.where.damaged !== false) return rowsOf(on, select, table);
  const read = {
    ...select,
    where: { ...select.where, damaged: undefined },
    order: select.order === "any" ? "oldest" : select.order,
  } as const;
  const rows = rowsOf(on, read, table);
  const found = rows.filter(({ record }) => !record.damaged);
  const last = rows.at(-1);
  if (last === undefined || found.length === rows.length || rows.length < select.limit) return found;
  const after = select.order === "trashed" ? ([last.trashedAt ?? new Date(0), last.record.id] as const) : placeOf(last, select);
  return [...found, ...undamaged(on, { ...read, where: select.where, limit: select.limit - found.length, after }, table)];
}

function inOrder(rows: readonly Checkpoint[], select: Select): readonly Checkpoint[] {
  if (select.where.state !== "any" || select.order === "any" || select.order === "trashed") return rows;
  const sign = select.order === "newest" ? -1 : 1;
  return rows.toSorted((one, other) => sign * (placeOf(one, select) - placeOf(other, select)));
}

function placeOf({ commit, record }: Checkpoint, { where }: Select): number {
  return where.sessionId === undefined ? (commit ?? 0) : record.sequence;
}

/** Condition for edges whose base is in one of these sessions, where the bases of their checkpoints are. */
function inSessions(sessionIds: readonly string[]): Sql {
  const isThere = oneOf(sql`session_id`, sessionIds);
  return sql`base IN (SELECT id FROM checkpoint WHERE ${isThere} UNION ALL SELECT id FROM trashed WHERE ${isThere}
    UNION ALL SELECT checkpoint_id FROM pending_removal WHERE ${isThere})`;
}

/** Number of damaged checkpoints of a session, which is not stored in its row. */
const DAMAGED_COUNT = sql`(SELECT count(*) FROM checkpoint WHERE session_id = session.id AND damaged = 1) AS damaged_count`;

const IS_EMPTY = sql`checkpoint_count = 0
  AND NOT EXISTS (SELECT 1 FROM checkpoint WHERE session_id = session.id)
  AND NOT EXISTS (SELECT 1 FROM trashed WHERE session_id = session.id)
  AND NOT EXISTS (SELECT 1 FROM pending_removal WHERE session_id = session.id AND is_done = 0)`;

function sessionsQuery({ where, limit, after }: Extract<Read, { readonly of: "sessions" }>): Sql {
  const { has, project, unusedSince, withoutTag } = where;
  const conditions = [
    has === "live" ? sql`checkpoint_count > 0` : undefined,
    has === "nothing" ? IS_EMPTY : undefined,
    unusedSince === undefined ? undefined : sql`last_accessed_at <= ${unusedSince.getTime()}`,
    project === undefined ? undefined : sql`EXISTS (SELECT 1 FROM checkpoint WHERE session_id = session.id AND project = ${project})`,
    withoutTag === undefined ? undefined : sql`NOT EXISTS (SELECT 1 FROM json_each(session.tags) WHERE value = ${withoutTag})`,
    after === undefined ? undefined : sql`(last_accessed_at, id) > (${after[0].getTime()}, ${after[1]})`,
  ];
  return sql`SELECT session.*, ${DAMAGED_COUNT} FROM session WHERE ${allOf(conditions.filter((each) => each !== undefined))}
    ORDER BY last_accessed_at, id LIMIT ${planless(limit)}`;
}

/** The totals of the store, in one statement. */
const TOTALS = `SELECT (SELECT count(*) FROM session WHERE checkpoint_count > 0) AS sessions,
  (SELECT count(*) FROM checkpoint) AS checkpoints,
  (SELECT count(*) FROM checkpoint WHERE damaged = 1) AS damaged,
  (SELECT value FROM state WHERE key = 'live_bytes') AS liveBytes,
  (SELECT count(*) FROM trashed) AS trashed,
  (SELECT value FROM state WHERE key = 'trash_bytes') AS trashBytes,
  (SELECT count(*) FROM pending_removal WHERE is_done = 0) AS pendingRemovals,
  (SELECT count(*) FROM pending_removal WHERE is_done = 0 AND EXISTS (SELECT 1 FROM edge WHERE base = checkpoint_id)) AS neededRemovals,
  (SELECT value FROM meta WHERE name = 'mendings') AS mendings`;

function all(on: SqliteConnection, { sql: text, parameters }: Sql): readonly unknown[] {
  return on.statement(text).all(...parameters);
}
