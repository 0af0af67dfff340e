import { checkpointsAfter } from "./checkpoint-pages.ts";
import { CHECKPOINT_COLUMNS, expectSummed, SESSION_COLUMNS } from "./row-checksum.ts";
import { checkedTrashed } from "./rows.ts";
import type { SessionRow, TrashedRow } from "./schema.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";

/**
 * Verifies the checksums of all sessions and all rows of the trash.
 *
 * @throws an error with the code SQLITE_CORRUPT, like all functions here, when a row is not as it was written.
 */
export function proveSessionsAndTrash(connection: SqliteConnection): void {
  for (const row of connection.statement("SELECT * FROM session").all() as readonly SessionRow[]) expectSummed(row, SESSION_COLUMNS);
  for (const row of connection.statement("SELECT * FROM trashed").all() as readonly TrashedRow[]) checkedTrashed(row);
}

/** Verifies a page of rows of `checkpoint` after an ordinal. Returns the last ordinal; `undefined` when no rows follow. */
export function proveCheckpoints(connection: SqliteConnection, after: number): number | undefined {
  const { rows, next } = checkpointsAfter(connection, after);
  for (const row of rows) expectSummed(row, CHECKPOINT_COLUMNS);
  return next;
}

/** Verifies all rows. */
export function proveAllRows(connection: SqliteConnection): void {
  proveSessionsAndTrash(connection);
  for (let after: number | undefined = 0; after !== undefined;) after = proveCheckpoints(connection, after);
}
