import { checkpointsAfter } from "./checkpoint-pages.ts";
import { checkedCheckpoint, checkedSession } from "./row-checksum.ts";
import { checkedTrashed } from "./rows.ts";
import type { SessionRow, TrashedRow } from "./schema.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";

/**
 * Reads some rows of `checkpoint`, each of which proves itself; the first time, all that are in the trash, and sessions, too.
 *
 * @param after what the call before returned; 0 the first time.
 * @returns `undefined` when those were the last.
 * @throws an error with the code SQLITE_CORRUPT where one is not as it was written.
 */
export function proveRows(connection: SqliteConnection, after: number): number | undefined {
  if (after === 0) {
    for (const row of connection.statement("SELECT * FROM session").all() as readonly SessionRow[]) checkedSession(row);
    for (const row of connection.statement("SELECT * FROM trashed").all() as readonly TrashedRow[]) checkedTrashed(row);
  }
  const { rows, next } = checkpointsAfter({ prepare: (sql) => connection.statement(sql) }, after);
  for (const row of rows) checkedCheckpoint(row);
  return next;
}

/** The same of all rows, at once. */
export function proveAllRows(connection: SqliteConnection): void {
  for (let after: number | undefined = 0; after !== undefined;) after = proveRows(connection, after);
}
