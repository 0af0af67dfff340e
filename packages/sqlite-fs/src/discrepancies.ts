import type { CheckpointId, Discrepancies, Edge, SessionId } from "@workrail/core";
import { CheckedRows } from "./checked-rows.ts";
import type { SessionRow } from "./schema.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";
import { databaseDamaged } from "./storage-errors.ts";

/** Finds sums and edges that do not agree with the records. */
export function discrepanciesOf(connection: SqliteConnection): Discrepancies {
  const sums = connection.statement(WRONG_SUMS).all() as { id: SessionId }[];
  return { sums: sums.map(({ id }) => id), edges: connection.statement(MISSING_EDGES).all() as Edge[] };
}

/**
 * Checks data that is derived from rows and has no checksum: totals of listings, the index of tags, bytes for quotas, edges.
 *
 * @throws an error with the code SQLITE_CORRUPT when this data does not agree with the rows.
 */
export function proveDerived(connection: SqliteConnection): void {
  if (WRONG.some((sql) => connection.statement(sql).get() !== undefined)) throw derivedDamaged();
}

export function derivedDamaged(): Error {
  return databaseDamaged("The catalog does not count, or find, what its rows say.");
}

/** Corrects sums and edges to agree with the records. Runs within a write transaction. */
export function reconcile(connection: SqliteConnection, { sums, edges }: Discrepancies): void {
  const rows = new CheckedRows(connection);
  for (const id of sums) rows.changeSession(id, () => connection.statement(SUMS_OF).get(id) as Sums);
  for (const { dependent, base } of edges) addEdge(connection, dependent, base);
  connection.statement(BYTES_ANEW).run();
  countAnew(connection);
}

/** Rebuilds the index of tags from the tags in the rows. */
export function tagAnew(connection: SqliteConnection): void {
  connection.statement("DELETE FROM checkpoint_tag").run();
  connection.statement(`INSERT INTO checkpoint_tag (ordinal, tag) ${ALL_TAGS}`).run();
}

/** Recounts the totals of listings, which triggers keep. */
export function countAnew(connection: SqliteConnection): void {
  connection.statement("DELETE FROM checkpoint_total").run();
  connection.statement(`INSERT INTO checkpoint_total ${COUNT_ALL}`).run();
}

/** Adds an edge. Does nothing when the dependent is unknown or the edge exists. */
export function addEdge(connection: SqliteConnection, dependent: CheckpointId, base: CheckpointId): void {
  connection.statement(ADD_EDGE).run(base, dependent, dependent);
}

/** Columns of a session that follow from its records. */
export type Sums = Pick<SessionRow, "checkpoint_count" | "total_bytes" | "aside_count">;

/** Sessions with wrong sums, found in one statement, so that all numbers belong to one moment. */
const WRONG_SUMS = `SELECT id FROM session LEFT JOIN
    (SELECT session_id, count(*) AS checkpoints, sum(blob_bytes) AS bytes, count(*) FILTER (WHERE kind = 'aside') AS asides
     FROM checkpoint GROUP BY session_id) ON session_id = id
  WHERE checkpoint_count <> coalesce(checkpoints, 0) OR total_bytes <> coalesce(bytes, 0) OR aside_count <> coalesce(asides, 0)`;

const MISSING_EDGES = `SELECT id AS dependent, base_id AS base FROM
    (SELECT id, base_id FROM checkpoint UNION ALL SELECT id, record ->> 'base_id' AS base_id FROM trashed) AS dependent
  WHERE base_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM edge WHERE edge.dependent = dependent.id AND edge.base = base_id)`;

/** Computes the sums of a session from its records. */
const SUMS_OF = `SELECT count(*) AS checkpoint_count, coalesce(sum(blob_bytes), 0) AS total_bytes, count(*) FILTER (WHERE kind = 'aside') AS aside_count
  FROM checkpoint WHERE session_id = ?`;

const ALL_TAGS = "SELECT DISTINCT ordinal, value FROM checkpoint, json_each(checkpoint.tags) WHERE tags <> '[]'";

const WRONG_TAG = `SELECT 1 FROM (${ALL_TAGS} EXCEPT SELECT ordinal, tag FROM checkpoint_tag)
  UNION ALL SELECT 1 FROM (SELECT ordinal, tag FROM checkpoint_tag EXCEPT ${ALL_TAGS})`;

const STORE_BYTES = `SELECT 'live_bytes' AS key, coalesce(sum(total_bytes), 0) AS value FROM session
  UNION ALL SELECT 'trash_bytes', coalesce(sum(blob_bytes), 0) FROM trashed`;

const BYTES_ANEW = `INSERT OR REPLACE INTO state (key, value) ${STORE_BYTES}`;

const WRONG_BYTES = `${STORE_BYTES} EXCEPT SELECT key, value FROM state`;

/** Computes the totals that triggers keep in `checkpoint_total`. */
const COUNT_ALL = `SELECT 'store', '', kind, count(*) FROM checkpoint GROUP BY kind
  UNION ALL SELECT 'project', project, kind, count(*) FROM checkpoint WHERE project IS NOT NULL GROUP BY project, kind`;

/** Totals that differ from the records. A row with the total 0 may exist or be missing. */
const WRONG_TOTAL = `SELECT 1 FROM (${COUNT_ALL} EXCEPT SELECT scope, name, kind, total FROM checkpoint_total)
  UNION ALL SELECT 1 FROM (SELECT scope, name, kind, total FROM checkpoint_total WHERE total <> 0 EXCEPT SELECT * FROM (${COUNT_ALL}))`;

const ADD_EDGE = `INSERT INTO edge (dependent, base) SELECT id, ? FROM
  (SELECT id FROM checkpoint WHERE id = ? UNION SELECT id FROM trashed WHERE id = ?) WHERE true ON CONFLICT DO NOTHING`;

/** Queries that return a row only when derived data does not agree with the rows. */
export const WRONG: readonly string[] = [WRONG_TOTAL, WRONG_TAG, WRONG_BYTES, MISSING_EDGES];
