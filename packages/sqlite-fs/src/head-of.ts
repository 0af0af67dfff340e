import type { CheckpointRecord, SessionId } from "@workrail/core";
import { recordOf } from "./rows.ts";
import type { CheckpointRow } from "./schema.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";

/**
 * Returns the head of a session: its newest checkpoint that is neither an aside nor damaged.
 *
 * Rows that are marked as damaged are read too, which verifies their checksums. A condition in SQL would skip a row whose mark is
 * only a flipped bit.
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
 * In a statement with ORDER BY, SQLite plans anew each time that a parameter is bound that a column is compared with, which
 * takes ten times as long as finding the row. With a `+` before it, the parameter is an expression, and the plan stays.
 */
const NEWEST = `SELECT * FROM checkpoint WHERE session_id = +? AND sequence < +? AND kind <> 'aside'
  ORDER BY sequence DESC LIMIT 1`;
