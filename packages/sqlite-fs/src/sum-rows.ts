import { allCheckpoints } from "./checkpoint-pages.ts";
import { CHECKPOINT_COLUMNS, checksumOf, SESSION_COLUMNS } from "./row-checksum.ts";
import { parsed, trashedRecord } from "./rows.ts";
import type { CheckpointRow, SessionRow, TrashedRow } from "./schema.ts";
import type { SqliteDatabase } from "./sqlite-driver.ts";

/**
 * Computes the checksums of all rows anew. Runs within a write transaction.
 *
 * @throws an error with the code SQLITE_CORRUPT when a record in the trash is not JSON.
 */
export function sumRows(database: SqliteDatabase): void {
  const sumCheckpoint = database.prepare("UPDATE checkpoint SET checksum = ? WHERE ordinal = ?");
  for (const row of allCheckpoints({ statement: (sql) => database.prepare(sql) })) {
    sumCheckpoint.run(checksumOf(row, CHECKPOINT_COLUMNS), row.ordinal);
  }
  const sumSession = database.prepare("UPDATE session SET checksum = ? WHERE id = ?");
  for (const row of database.prepare("SELECT * FROM session").all() as readonly SessionRow[]) {
    sumSession.run(checksumOf(row, SESSION_COLUMNS), row.id);
  }
  const sumTrashed = database.prepare("UPDATE trashed SET record = ? WHERE session_id = ? AND id = ?");
  const trashed = database.prepare("SELECT * FROM trashed").all() as readonly TrashedRow[];
  for (const { session_id: sessionId, id, record, trashed_at: at } of trashed) {
    // Records that were trashed before shields existed have no `shielded_until`.
    const row = { shielded_until: null, ...(parsed(record) as Omit<CheckpointRow, "shielded_until">) };
    sumTrashed.run(trashedRecord(row, at), sessionId, id);
  }
}
