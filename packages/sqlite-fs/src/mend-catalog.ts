import { expectSound } from "./catalog-checks.ts";
import { allCheckpoints } from "./checkpoint-pages.ts";
import { correctedRow, textsBefore } from "./corrected-row.ts";
import { discrepanciesOf, reconcile, tagAnew } from "./discrepancies.ts";
import { CHECKPOINT_COLUMNS, checkpointChecksum, SESSION_COLUMNS, sessionChecksum, type Unsummed } from "./row-checksum.ts";
import { trashedRowOf } from "./rows.ts";
import type { CheckpointRow, SessionRow, TrashedRow } from "./schema.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";
import type { SqliteValue } from "./sqlite-driver.ts";
import { databaseDamaged } from "./storage-errors.ts";

/**
 * Mends a catalog in its place where rows have one flipped bit each, and what else is damaged follows from rows: indexes, tags, edges, counts. Within
 * a write transaction, which is to be rolled back when this throws.
 *
 * Where each row is as its checksum says, and each session has as many checkpoints, of as many bytes, as its row says, none was lost.
 *
 * @returns how many rows it corrected.
 * @throws an error with the code SQLITE_CORRUPT where more is damaged than that; errors of the driver.
 */
export function mendCatalog(connection: SqliteConnection): number {
  // First: SQLite changes a row only where its indexes say of it what the table does, be it wrong.
  connection.exec("REINDEX");
  const corrected = correctSessions(connection) + correctCheckpoints(connection) + correctTrash(connection);
  const { sums, edges } = discrepanciesOf(connection);
  if (sums.length > 0) throw beyondMending();
  reconcile(connection, { sums, edges });
  tagAnew(connection);
  expectSound(connection.statement("PRAGMA integrity_check").all());
  if (connection.statement("PRAGMA foreign_key_check").get() !== undefined) throw beyondMending();
  return corrected;
}

function correctSessions(connection: SqliteConnection): number {
  const rows = connection.statement("SELECT * FROM session").all() as readonly SessionRow[];
  const damaged = rows.filter((row) => row.checksum !== sessionChecksum(row));
  for (const row of damaged) correct(connection, { table: "session", key: "id", columns: SESSION_COLUMNS }, row);
  return damaged.length;
}

function correctCheckpoints(connection: SqliteConnection): number {
  let corrected = 0;
  for (const row of allCheckpoints({ prepare: (sql) => connection.statement(sql) })) {
    if (row.checksum === checkpointChecksum(row)) continue;
    correct(connection, { table: "checkpoint", key: "ordinal", columns: CHECKPOINT_COLUMNS }, row);
    corrected++;
  }
  return corrected;
}

interface Table<Row> {
  readonly table: "checkpoint" | "session";
  /** By which its rows are found. A row whose own is wrong is not where it would be looked for. */
  readonly key: keyof Unsummed<Row> & string;
  readonly columns: readonly (keyof Unsummed<Row> & string)[];
}

function correct<Row extends CheckpointRow | SessionRow>(
  connection: SqliteConnection,
  { table, key, columns }: Table<Row>,
  row: Row,
): void {
  const was = correctedRow(row, columns);
  if (was === undefined || was[key] !== row[key]) throw beyondMending();
  const all = [...columns, "checksum"] as const;
  const assigned = all.map((column) => `${column} = ?`).join(", ");
  const values = [...all, key].map((column) => was[column]) as readonly SqliteValue[];
  connection.statement(`UPDATE ${table} SET ${assigned} WHERE ${key} = ?`).run(...values);
}

/** Seldom are there many: what may have been there is tried out. */
function correctTrash(connection: SqliteConnection): number {
  const rows = connection.statement("SELECT * FROM trashed").all() as readonly TrashedRow[];
  const damaged = rows.filter((row) => !isAsWritten(row));
  for (const row of damaged) {
    const fitting = row.record.length > TRIED_UNITS ? [] : [...textsBefore(row.record)].filter((record) => isAsWritten({ ...row, record }));
    if (fitting.length !== 1) throw beyondMending();
    connection.statement("UPDATE trashed SET record = ? WHERE session_id = ? AND id = ?").run(fitting[0] as string, row.session_id, row.id);
  }
  return damaged.length;
}

function isAsWritten(trashed: TrashedRow): boolean {
  try {
    const row = trashedRowOf(trashed);
    return (["session_id", "id", "blob", "blob_bytes"] as const).every((column) => row[column] === trashed[column]);
  } catch {
    // It tells no more than this.
    return false;
  }
}

/** Half a second for one record. */
const TRIED_UNITS = 4_096;

function beyondMending(): Error {
  return databaseDamaged("More of the catalog is damaged than can be mended in its place.");
}
