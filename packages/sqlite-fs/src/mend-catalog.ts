import { expectSound } from "./catalog-checks.ts";
import { CheckedRows } from "./checked-rows.ts";
import { allCheckpoints } from "./checkpoint-pages.ts";
import { correctedRow, textsBefore } from "./corrected-row.ts";
import { discrepanciesOf, reconcile, tagAnew } from "./discrepancies.ts";
import { CHECKPOINT_COLUMNS, checkpointChecksum, SESSION_COLUMNS, sessionChecksum } from "./row-checksum.ts";
import { agreesWithItself, checkedTrashed, trashedRowOf } from "./rows.ts";
import type { SessionRow, TrashedRow } from "./schema.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";
import { databaseDamaged } from "./storage-errors.ts";

/**
 * Mends a catalog in its place where rows have one flipped bit each, and what else is damaged follows from rows: indexes, tags, edges, counts. Within
 * a write transaction, which is to be rolled back when this throws.
 *
 * That no row was lost is told by indexes, which have no more rows than their tables, by SQLite's own check of the tables, and by sessions, which have as many
 * checkpoints, of as many bytes, as their rows say.
 *
 * @returns how many rows it corrected.
 * @throws an error with the code SQLITE_CORRUPT where more is damaged than that; errors of the driver.
 */
export function mendCatalog(connection: SqliteConnection): number {
  // First: SQLite changes a row only where its indexes say of it what the table does, be it wrong.
  reindex(connection);
  const rows = new CheckedRows(connection);
  const corrected = correctSessions(connection, rows) + correctCheckpoints(connection, rows) + correctTrash(connection);
  const { sums, edges } = discrepanciesOf(connection);
  if (sums.length > 0) throw beyondMending();
  reconcile(connection, { sums, edges });
  tagAnew(connection);
  expectSound(connection.statement("PRAGMA integrity_check").all());
  if (connection.statement("PRAGMA foreign_key_check").get() !== undefined) throw beyondMending();
  return corrected;
}

/**
 * Makes indexes anew from their tables. One by one, by name: a `REINDEX` of everything would write tables without rowids anew, too, which are their own indexes, from what
 * can still be read of them, and nothing would tell of the rest any more.
 */
function reindex(connection: SqliteConnection): void {
  const indexes = connection.statement(INDEXES).all() as readonly {
    readonly name: string;
    readonly tbl_name: string;
    readonly partial: 0 | 1;
  }[];
  for (const { name, tbl_name: table, partial } of indexes) {
    const hasMore = `SELECT (SELECT count(*) FROM "${table}" INDEXED BY "${name}") > (SELECT count(*) FROM "${table}" NOT INDEXED) AS more`;
    if (partial === 0 && (connection.statement(hasMore).get() as { readonly more: 0 | 1 }).more === 1) throw beyondMending();
    connection.exec(`REINDEX "${name}"`);
  }
}

/** The primary key of a table without rowids is not among them. */
const INDEXES = `SELECT sqlite_schema.name, tbl_name, partial FROM sqlite_schema JOIN pragma_index_list(tbl_name) AS listed ON listed.name = sqlite_schema.name
  WHERE sqlite_schema.type = 'index'`;

function correctSessions(connection: SqliteConnection, rows: CheckedRows): number {
  const sessions = connection.statement("SELECT * FROM session").all() as readonly SessionRow[];
  const damaged = sessions.filter((row) => row.checksum !== sessionChecksum(row));
  for (const row of damaged) {
    const was = correctedRow(row, SESSION_COLUMNS);
    // One whose key was wrong is not where it would be looked for.
    if (was === undefined || was.id !== row.id || !isJson(was.tags) || !isJson(was.pins)) throw beyondMending();
    rows.restoreSession(was);
  }
  return damaged.length;
}

function correctCheckpoints(connection: SqliteConnection, rows: CheckedRows): number {
  let corrected = 0;
  for (const row of allCheckpoints(connection)) {
    if (row.checksum === checkpointChecksum(row)) continue;
    const was = correctedRow(row, CHECKPOINT_COLUMNS);
    if (was === undefined || was.ordinal !== row.ordinal || !agreesWithItself(was)) throw beyondMending();
    rows.restoreCheckpoint(was);
    corrected++;
  }
  return corrected;
}

/** Seldom are there many: what may have been there is tried out. */
function correctTrash(connection: SqliteConnection): number {
  const rows = connection.statement("SELECT * FROM trashed").all() as readonly TrashedRow[];
  const damaged = rows.filter((row) => !isRight(() => checkedTrashed(row)));
  for (const row of damaged) {
    const { session_id, id, ...was } = trashedBefore(row);
    connection
      .statement("UPDATE trashed SET record = ?, blob = ?, blob_bytes = ? WHERE session_id = ? AND id = ?")
      .run(was.record, was.blob, was.blob_bytes, session_id, id);
  }
  return damaged.length;
}

/** Where the record proves itself, what else is there follows from it. */
function trashedBefore(row: TrashedRow): TrashedRow {
  const isWhole = isRight(() => trashedRowOf(row));
  if (isWhole) {
    const { session_id, id, blob, blob_bytes } = trashedRowOf(row);
    if (session_id === row.session_id && id === row.id) return { ...row, blob, blob_bytes };
  }
  const records = isWhole || row.record.length > TRIED_UNITS ? [] : [...textsBefore(row.record)];
  const fitting = records.map((record) => ({ ...row, record })).filter((each) => isRight(() => agreesWithItself(checkedTrashed(each))));
  const [was] = fitting;
  if (was === undefined || fitting.length > 1) throw beyondMending();
  return was;
}

/** Half a second for one record. */
const TRIED_UNITS = 4_096;

/** Whether it neither says that it is not, nor fails: what is damaged may be anything. */
function isRight(check: () => unknown): boolean {
  try {
    return check() !== false;
  } catch {
    return false;
  }
}

function isJson(text: string): boolean {
  return isRight(() => JSON.stringify(JSON.parse(text)) === text);
}

function beyondMending(): Error {
  return databaseDamaged("More of the catalog is damaged than can be mended in its place.");
}
