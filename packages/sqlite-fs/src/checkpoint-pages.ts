import type { CheckpointRow } from "./schema.ts";
import type { SqliteStatement } from "./sqlite-driver.ts";

/** Prepares a statement, or returns the one that is prepared. */
interface Statements {
  statement(sql: string): SqliteStatement;
}

const ROWS_AT_ONCE = 1_000;

interface CheckpointRows {
  readonly rows: readonly CheckpointRow[];
  /** The last ordinal of the page; `undefined` when no rows follow. */
  readonly next: number | undefined;
}

/** Reads a page of `checkpoint` in order, without verifying checksums. A page is small enough not to block the event loop for long. */
export function checkpointsAfter(database: Statements, ordinal: number): CheckpointRows {
  const page = database.statement("SELECT * FROM checkpoint WHERE ordinal > ? ORDER BY ordinal LIMIT ?");
  const rows = page.all(ordinal, ROWS_AT_ONCE) as readonly CheckpointRow[];
  return { rows, next: rows.length < ROWS_AT_ONCE ? undefined : rows.at(-1)?.ordinal };
}

/** Reads all rows of `checkpoint`, without verifying checksums. */
export function* allCheckpoints(database: Statements): Iterable<CheckpointRow> {
  for (let after: number | undefined = 0; after !== undefined;) {
    const { rows, next } = checkpointsAfter(database, after);
    yield* rows;
    after = next;
  }
}
