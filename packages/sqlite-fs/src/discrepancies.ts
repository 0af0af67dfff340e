import type { Answers, Edge } from "@workrail/core";
import { sessionOf } from "./rows.ts";
import type { SessionRow } from "./schema.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";
import { databaseDamaged } from "./storage-errors.ts";

/** Finds sums of sessions and edges that the records do not bear out, each in one statement, so that its numbers belong to one moment. */
export function contradictionsOf(connection: SqliteConnection): Answers["contradictions"] {
  const sessions = connection.statement(WRONG_SUMS).all() as readonly (SessionRow & Sums)[];
  const edges = connection.statement(MISSING_EDGES).all() as readonly Edge[];
  return {
    sums: sessions.map(({ checkpoints, bytes, asides, ...row }) => {
      const was = sessionOf(row);
      return { was, now: { ...was, checkpointCount: checkpoints, totalBytes: bytes, asideCount: asides } };
    }),
    edges,
  };
}

/**
 * Checks data that is derived from rows and has no checksum: totals of listings, the indexes of tags and attributes, bytes for quotas, edges.
 *
 * @throws an error with the code SQLITE_CORRUPT when this data does not agree with the rows.
 */
export function proveDerived(connection: SqliteConnection): void {
  if (WRONG.some((sql) => connection.statement(sql).get() !== undefined)) throw derivedDamaged();
}

export function derivedDamaged(): Error {
  return databaseDamaged("The counts or indexes of the catalog do not match its rows.");
}

/** Adds the missing edges of records. Runs within a write transaction. */
export function addMissingEdges(connection: SqliteConnection): void {
  connection.statement(`INSERT INTO edge (dependent, base) ${MISSING_EDGES}`).run();
}

/** True when the sums of a session do not agree with its records. */
export function hasWrongSums(connection: SqliteConnection): boolean {
  return connection.statement(WRONG_SUMS).get() !== undefined;
}

/** Rebuilds the indexes of tags and of attributes from the rows. */
export function rebuildIndexes(connection: SqliteConnection): void {
  connection.statement("DELETE FROM checkpoint_attribute").run();
  connection.statement(`INSERT OR IGNORE INTO checkpoint_attribute ${INDEXED_ATTRIBUTES}`).run();
  connection.statement("DELETE FROM checkpoint_tag").run();
  connection.statement(`INSERT INTO checkpoint_tag (ordinal, tag) ${ALL_TAGS}`).run();
}

/** Recounts what triggers keep: the bytes of the store and the totals of listings. */
export function recount(connection: SqliteConnection): void {
  connection.statement(BYTES_ANEW).run();
  connection.statement("DELETE FROM checkpoint_total").run();
  connection.statement(`INSERT INTO checkpoint_total ${COUNT_ALL}`).run();
}

/** Sums that the records of a session give. */
interface Sums {
  readonly checkpoints: number;
  readonly bytes: number;
  readonly asides: number;
}

const WRONG_SUMS = `SELECT session.*, coalesce(counted, 0) AS checkpoints, coalesce(summed, 0) AS bytes, coalesce(counted_asides, 0) AS asides
  FROM session LEFT JOIN
    (SELECT session_id, count(*) AS counted, sum(blob_bytes) AS summed, count(*) FILTER (WHERE kind = 'aside') AS counted_asides
     FROM checkpoint GROUP BY session_id) ON session_id = id
  WHERE checkpoint_count <> checkpoints OR total_bytes <> bytes OR aside_count <> asides`;

const MISSING_EDGES = `SELECT id AS dependent, base_id AS base FROM
    (SELECT id, base_id FROM checkpoint UNION ALL SELECT id, record ->> 'base_id' AS base_id FROM trashed) AS dependent
  WHERE base_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM edge WHERE edge.dependent = dependent.id AND edge.base = base_id)`;

const ALL_TAGS = "SELECT DISTINCT ordinal, value FROM checkpoint, json_each(checkpoint.tags) WHERE tags <> '[]'";

const WRONG_TAG = `SELECT 1 FROM (${ALL_TAGS} EXCEPT SELECT ordinal, tag FROM checkpoint_tag)
  UNION ALL SELECT 1 FROM (SELECT ordinal, tag FROM checkpoint_tag EXCEPT ${ALL_TAGS})`;

const INDEXED_ATTRIBUTES = "SELECT * FROM attribute WHERE ordinal <= coalesce((SELECT value FROM state WHERE key = 'attributes_until'), 0)";

const WRONG_ATTRIBUTE = `SELECT 1 FROM (${INDEXED_ATTRIBUTES} EXCEPT SELECT name, type, value, ordinal FROM checkpoint_attribute)
  UNION ALL SELECT 1 FROM (SELECT name, type, value, ordinal FROM checkpoint_attribute EXCEPT ${INDEXED_ATTRIBUTES})`;

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

/** Queries that return a row only when derived data does not agree with the rows. */
export const WRONG: readonly string[] = [WRONG_TOTAL, WRONG_TAG, WRONG_ATTRIBUTE, WRONG_BYTES, MISSING_EDGES];
