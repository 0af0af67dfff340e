import { allCheckpoints } from "./checkpoint-pages.ts";
import { checkpointChecksum, sessionChecksum } from "./row-checksum.ts";
import { parsed, trashedRecord } from "./rows.ts";
import type { CheckpointRow, SessionRow, TrashedRow } from "./schema.ts";
import type { SqliteDatabase } from "./sqlite-driver.ts";

/**
 * Has each row that is there say what its sum is, whatever it said before. Within a write transaction.
 *
 * @throws an error with the code SQLITE_CORRUPT where something in the trash is no row.
 */
export function sumRows(database: SqliteDatabase): void {
  const sumCheckpoint = database.prepare("UPDATE checkpoint SET checksum = ? WHERE ordinal = ?");
  for (const row of allCheckpoints({ statement: (sql) => database.prepare(sql) })) sumCheckpoint.run(checkpointChecksum(row), row.ordinal);
  const sumSession = database.prepare("UPDATE session SET checksum = ? WHERE id = ?");
  for (const row of database.prepare("SELECT * FROM session").all() as readonly SessionRow[]) sumSession.run(sessionChecksum(row), row.id);
  const sumTrashed = database.prepare("UPDATE trashed SET record = ? WHERE session_id = ? AND id = ?");
  const trashed = database.prepare("SELECT * FROM trashed").all() as readonly TrashedRow[];
  for (const { session_id: sessionId, id, record, trashed_at: at } of trashed) {
    // What went into the trash before there were shields has none.
    const row = { shielded_until: null, ...parsed(() => JSON.parse(record) as Omit<CheckpointRow, "shielded_until">) };
    sumTrashed.run(trashedRecord(row, at), sessionId, id);
  }
}
