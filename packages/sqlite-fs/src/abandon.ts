import type { SqliteConnection } from "./sqlite-connection.ts";

/** Rolls back a transaction that changed nothing, or was not committed. */
export function abandon(connection: SqliteConnection): void {
  try {
    connection.exec("ROLLBACK");
  } catch {
    // No transaction is open: it was committed, or SQLite rolled it back.
  }
}
