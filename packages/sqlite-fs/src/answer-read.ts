import type { Answers, Read, Tables } from "@workrail/core";
import { contradictionsOf } from "./discrepancies.ts";
import type { BuiltRead } from "./read-shape.ts";
import { statementOf } from "./statement-of.ts";
import { listedSessionOf, liveOf, loggedOf, sessionOf, trashedOf } from "./rows.ts";
import type { AuditRow, CheckpointRow, CountedSessionRow, SessionRow, TrashedRow } from "./schema.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";
import { databaseDamaged } from "./storage-errors.ts";

/** Read that the database alone answers. */
export type StoredRead = Exclude<Read, { readonly of: "blob" | "mark" }>;

type Select = Extract<Read, { readonly of: "checkpoints" }>;
type SelectPlaces = Extract<Read, { readonly of: "places" }>;
type Count = Extract<Read, { readonly of: "count" }>;
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
    const rows = inTables(read).flatMap((each) => all(on, each));
    const sign = read.order === "newest" ? -1 : 1;
    const sorted = read.order === "any" ? rows : rows.toSorted((one, other) => sign * (one.place - other.place));
    return sorted.slice(0, read.limit).map(({ id, sequence }) => ({ id, sequence }));
  },
  count(on, read) {
    const rows = inTables(read).flatMap((each) => all(on, each));
    return rows.reduce((sum, { total }) => sum + total, 0);
  },
  session(on, { id }) {
    const row = on.statement("SELECT * FROM session WHERE id = ?").get(id) as SessionRow | undefined;
    return row && sessionOf(row);
  },
  sessions: (on, read) => all(on, read).map(listedSessionOf),
  edges: all,
  removals: (on, read) => all(on, read).map((row) => ({ ...row, isDone: row.isDone === 1 })),
  erasures: all,
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
  audit: (on, read) => all(on, read).map(loggedOf),
  contradictions: contradictionsOf,
};

/** Rows of the statement that answers a kind of read. */
interface Rows {
  readonly checkpoints: CheckpointRow | TrashedRow;
  readonly places: Pick<Checkpoint["record"], "id" | "sequence"> & { readonly place: number };
  readonly count: { readonly total: number };
  readonly sessions: CountedSessionRow;
  readonly edges: Tables["edge"];
  readonly removals: Tables["erasure"] & { readonly isDone: 0 | 1 };
  readonly erasures: Tables["erasure"];
  readonly audit: AuditRow;
}

/** Returns the read of each table that may have rows for a read. */
function inTables<R extends Select | SelectPlaces | Count>(read: R): readonly R[] {
  const { where } = read;
  return where.state === "any" ? (["live", "trash"] as const).map((state) => ({ ...read, where: { ...where, state } })) : [read];
}

function selected(on: SqliteConnection, read: Select): readonly Checkpoint[] {
  const { where, limit, offset = 0 } = read;
  if (limit === 0) return [];
  const select = read.order === "trashed" ? { ...read, where: { ...where, state: "trash" as const } } : read;
  const tables = inTables(select);
  if (tables.length === 1 && where.damaged !== false) return rowsOf(on, select);
  const rows = tables.flatMap((each) => undamaged(on, { ...each, limit: limit + offset, offset: undefined }));
  return inOrder(rows, select).slice(offset, offset + limit);
}

function rowsOf(on: SqliteConnection, select: Select): readonly Checkpoint[] {
  const found = all(on, select);
  const rows =
    select.where.state === "live" ? (found as readonly CheckpointRow[]).map(liveOf) : (found as readonly TrashedRow[]).map(trashedOf);
  const { withoutTag } = select.where;
  // The rows of `checkpoint_tag` have no checksum: compare with the tags of the record.
  if (withoutTag !== undefined && rows.some(({ record }) => record.tags.includes(withoutTag))) {
    throw databaseDamaged("The catalog lacks a tag of a checkpoint.");
  }
  return rows;
}

/**
 * Reads rows that may have to be undamaged. Reads rows that are marked as damaged too, which verifies their checksums. A condition in
 * SQL would skip a row whose mark is only a flipped bit.
 */
function undamaged(on: SqliteConnection, select: Select): readonly Checkpoint[] {
  if (select.where.damaged !== false) return rowsOf(on, select);
  const read = {
    ...select,
    where: { ...select.where, damaged: undefined },
    order: select.order === "any" ? "oldest" : select.order,
  } as const;
  const rows = rowsOf(on, read);
  const found = rows.filter(({ record }) => !record.damaged);
  const last = rows.at(-1);
  if (last === undefined || found.length === rows.length || rows.length < select.limit) return found;
  const after = select.order === "trashed" ? ([last.trashedAt ?? new Date(0), last.record.id] as const) : placeOf(last, select);
  return [...found, ...undamaged(on, { ...read, where: select.where, limit: select.limit - found.length, after })];
}

function inOrder(rows: readonly Checkpoint[], select: Select): readonly Checkpoint[] {
  if (select.where.state !== "any" || select.order === "any" || select.order === "trashed") return rows;
  const sign = select.order === "newest" ? -1 : 1;
  return rows.toSorted((one, other) => sign * (placeOf(one, select) - placeOf(other, select)));
}

function placeOf({ commit, record }: Checkpoint, { where }: Select): number {
  return where.sessionId === undefined ? (commit ?? 0) : record.sequence;
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

function all<R extends BuiltRead>(on: SqliteConnection, read: R): readonly Rows[R["of"]][] {
  const { sql, values } = statementOf(read);
  return on.statement(sql).all(...values) as readonly Rows[R["of"]][];
}
