import type { CheckpointRecord, SessionId } from "@workrail/core";
import { recordOf } from "./rows.ts";
import type { CheckpointRow } from "./schema.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";

/**
 * The newest of a session that can be head: an aside or a damaged one never is.
 *
 * Those that say that they are damaged are read too, and so proved: SQLite would pass one by of which a flipped bit says it.
 */
export function headOf(connection: SqliteConnection, session: SessionId): CheckpointRecord | undefined {
  for (let before = Number.MAX_SAFE_INTEGER; ;) {
    const row = connection.statement(NEWEST).get(session, before) as CheckpointRow | undefined;
    const record = row === undefined ? undefined : recordOf(row);
    if (record?.damaged !== true) return record;
    before = record.sequence;
  }
}

/**
 * Where rows are ordered, SQLite plans a statement anew each time that a parameter is bound which a column is compared
 * with, and that takes ten times as long as finding the row. Behind a `+` the parameter is any expression, and the plan stays.
 */
const NEWEST = `SELECT * FROM checkpoint WHERE session_id = +? AND sequence < +? AND kind <> 'aside'
  ORDER BY sequence DESC LIMIT 1`;
