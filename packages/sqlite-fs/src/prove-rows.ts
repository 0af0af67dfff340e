import { checkpointsAfter } from "./checkpoint-pages.ts";
import { checkedCheckpoint, checkedSession } from "./row-checksum.ts";
import { checkedTrashed } from "./rows.ts";
import type { SessionRow, TrashedRow } from "./schema.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";

/**
 * Reads each session, and what is in the trash, which so prove themselves.
 *
 * @throws an error with the code SQLITE_CORRUPT, as all of these do, where one is not as it was written.
 */
export function proveSessionsAndTrash(connection: SqliteConnection): void {
  for (const row of connection.statement("SELECT * FROM session").all() as readonly SessionRow[]) checkedSession(row);
  for (const row of connection.statement("SELECT * FROM trashed").all() as readonly TrashedRow[]) checkedTrashed(row);
}

/** The same of some rows of `checkpoint`: those after an ordinal. Returns that of the last; `undefined` when no others follow. */
export function proveCheckpoints(connection: SqliteConnection, after: number): number | undefined {
  const { rows, next } = checkpointsAfter(connection, after);
  for (const row of rows) checkedCheckpoint(row);
  return next;
}

/** The same of all rows, at once. */
export function proveAllRows(connection: SqliteConnection): void {
  proveSessionsAndTrash(connection);
  for (let after: number | undefined = 0; after !== undefined;) after = proveCheckpoints(connection, after);
}
