import type { CheckpointRow } from "./schema.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";

const ROWS_AT_ONCE = 1_000;

interface CheckpointRows {
  readonly rows: readonly CheckpointRow[];
  /** The last of their ordinals, after which others may follow. */
  readonly next: number | undefined;
}

/** Rows of `checkpoint`, unproven, in order: so many at once that no loop stands still for long. */
export function checkpointsAfter(database: Pick<SqliteConnection, "statement">, ordinal: number): CheckpointRows {
  const page = database.statement("SELECT * FROM checkpoint WHERE ordinal > ? ORDER BY ordinal LIMIT ?");
  const rows = page.all(ordinal, ROWS_AT_ONCE) as readonly CheckpointRow[];
  return { rows, next: rows.length < ROWS_AT_ONCE ? undefined : rows.at(-1)?.ordinal };
}

/** All of them. */
export function* allCheckpoints(database: Pick<SqliteConnection, "statement">): Iterable<CheckpointRow> {
  for (let after: number | undefined = 0; after !== undefined;) {
    const { rows, next } = checkpointsAfter(database, after);
    yield* rows;
    after = next;
  }
}
