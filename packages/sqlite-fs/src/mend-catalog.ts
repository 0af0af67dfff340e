import { updateCheckpoint, updateSession } from "./apply-rows.ts";
import { expectSound } from "./catalog-checks.ts";
import { allCheckpoints } from "./checkpoint-pages.ts";
import { correctedRow, textsBefore } from "./corrected-row.ts";
import { addMissingEdges, recount, hasWrongSums, rebuildIndexes } from "./discrepancies.ts";
import { CHECKPOINT_COLUMNS, checksumOf, SESSION_COLUMNS, summed } from "./row-checksum.ts";
import { isConsistent, checkedTrashed, trashedRowOf } from "./rows.ts";
import type { SessionRow, TrashedRow } from "./schema.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";
import { databaseDamaged } from "./storage-errors.ts";

/**
 * Mends a catalog in place. Corrects rows with one flipped bit each, and rebuilds data that is derived from rows: indexes, tags,
 * edges, counts. Runs within a write transaction, which the caller must roll back when this throws.
 *
 * Three checks prove that no row was lost: no index has more rows than its table, SQLite's own check finds the tables sound, and each
 * session has as many checkpoints and bytes as its row says.
 *
 * @returns the number of corrected rows.
 * @throws an error with the code SQLITE_CORRUPT when there is more damage than that; errors of the driver.
 */
export function mendCatalog(connection: SqliteConnection): number {
  // First: SQLite can update a row only when its indexes agree with the table, even if both are wrong.
  reindex(connection);
  const corrected = correctSessions(connection) + correctCheckpoints(connection) + correctTrash(connection);
  if (hasWrongSums(connection)) throw beyondMending();
  addMissingEdges(connection);
  recount(connection);
  rebuildIndexes(connection);
  expectSound(connection.statement("PRAGMA integrity_check").all());
  if (connection.statement("PRAGMA foreign_key_check").get() !== undefined) throw beyondMending();
  return corrected;
}

/**
 * Rebuilds indexes from their tables, one by one, by name. A `REINDEX` of everything would also rewrite the tables without rowids,
 * which are their own indexes, from the rows that can still be read, and hide the loss of the others.
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

/** All indexes except the primary keys of tables without rowids. */
const INDEXES = `SELECT sqlite_schema.name, tbl_name, partial FROM sqlite_schema JOIN pragma_index_list(tbl_name) AS listed ON listed.name = sqlite_schema.name
  WHERE sqlite_schema.type = 'index'`;

function correctSessions(connection: SqliteConnection): number {
  const sessions = connection.statement("SELECT * FROM session").all() as readonly SessionRow[];
  const damaged = sessions.filter((row) => row.checksum !== checksumOf(row, SESSION_COLUMNS));
  for (const row of damaged) {
    const was = correctedRow(row, SESSION_COLUMNS);
    // A row with a wrong key is at the wrong place in the table, which is its own index.
    if (was === undefined || was.id !== row.id || !isJson(was.tags) || !isJson(was.pins)) throw beyondMending();
    updateSession(connection, summed(was, SESSION_COLUMNS));
  }
  return damaged.length;
}

function correctCheckpoints(connection: SqliteConnection): number {
  let corrected = 0;
  for (const row of allCheckpoints(connection)) {
    if (row.checksum === checksumOf(row, CHECKPOINT_COLUMNS)) continue;
    const was = correctedRow(row, CHECKPOINT_COLUMNS);
    if (was === undefined || was.ordinal !== row.ordinal || !isConsistent(was)) throw beyondMending();
    updateCheckpoint(connection, summed(was, CHECKPOINT_COLUMNS));
    corrected++;
  }
  return corrected;
}

/** Corrects rows of the trash by trying candidate records. The trash is seldom large. */
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

/** Returns the row before the damage. A record with a correct checksum gives the columns beside it. */
function trashedBefore(row: TrashedRow): TrashedRow {
  const isWhole = isRight(() => trashedRowOf(row));
  if (isWhole) {
    const { session_id, id, blob, blob_bytes } = trashedRowOf(row);
    if (session_id === row.session_id && id === row.id) return { ...row, blob, blob_bytes };
  }
  const records = isWhole || row.record.length > TRIED_UNITS ? [] : [...textsBefore(row.record)];
  const fitting = records.map((record) => ({ ...row, record })).filter((each) => isRight(() => isConsistent(checkedTrashed(each))));
  const [was] = fitting;
  if (was === undefined || fitting.length > 1) throw beyondMending();
  return was;
}

/** Longest record, in UTF-16 units, whose one-bit variants are tried: half a second for one record. */
const TRIED_UNITS = 4_096;

/** True unless the check returns `false` or throws: damaged data may make it throw any error. */
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
  return databaseDamaged("The catalog has too much damage to be repaired in place.");
}
