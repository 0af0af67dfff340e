import {
  type AuditAction,
  type AuditCheck,
  type AuditDigest,
  type AuditQuery,
  type AuditWalk,
  beginningAfter,
  changesIn,
  type ChangePage,
  type ChangeQuery,
  checkLinks,
  type LoggedEvent,
  positionBehind,
  rowBefore,
} from "@workrail/core";
import { loggedOf } from "./rows.ts";
import type { AuditRow } from "./schema.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";
import type { SqliteValue } from "./sqlite-driver.ts";

/** What the index of rare actions leaves out; as the migration that made it says it, so that SQLite uses it. */
const FREQUENT: ReadonlySet<AuditAction> = new Set<AuditAction>(["save", "load", "prune"]);
const IS_RARE = "action NOT IN ('save', 'load', 'prune')";

/** Rows of the audit log, by their numbers. */
export function auditRows(reader: SqliteConnection, query: AuditQuery): readonly LoggedEvent[] {
  const { sql, parameters } = auditQuery(query);
  return (reader.statement(sql).all(...parameters) as readonly AuditRow[]).map(loggedOf);
}

/** The statement for a query. */
export function auditQuery({ actions, sessionId, checkpointId, at, since, until, limit, first = "newest", after }: AuditQuery): {
  readonly sql: string;
  readonly parameters: readonly SqliteValue[];
} {
  const isOldestFirst = first === "oldest";
  const conditions: [sql: string, ...parameters: SqliteValue[]][] = [];
  if (actions !== undefined) conditions.push([`action IN (${actions.map(() => "?").join(", ")})`, ...actions]);
  if (actions?.every((action) => !FREQUENT.has(action)) === true) conditions.push([IS_RARE]);
  if (sessionId !== undefined) conditions.push(["session_id = ?", sessionId]);
  if (checkpointId !== undefined) conditions.push(["checkpoint_id = ?", checkpointId]);
  if (at !== undefined) conditions.push(["at = ?", at.getTime()]);
  if (since !== undefined) conditions.push(["at >= ?", since.getTime()]);
  if (until !== undefined) conditions.push(["at <= ?", until.getTime()]);
  if (after !== undefined) conditions.push([`id ${isOldestFirst ? ">" : "<"} ?`, after]);
  const where = conditions.length === 0 ? "" : `WHERE ${conditions.map(([sql]) => sql).join(" AND ")}`;
  return {
    sql: `SELECT * FROM audit ${where} ORDER BY id ${isOldestFirst ? "ASC" : "DESC"} LIMIT ?`,
    parameters: [...conditions.flatMap(([, ...parameters]) => parameters), limit ?? -1],
  };
}

/** Whether rows still follow each other. All of it is of one moment: in between rows may be cut off. */
export function auditCheck(
  reader: SqliteConnection,
  { after, limit }: AuditWalk,
  digest: AuditDigest,
): Omit<AuditCheck, "isKeyed" | "noted"> {
  const from = after ?? beginningAfter(auditRows(reader, { actions: ["audit-cut"], limit: 1 })[0]);
  const rows = auditRows(reader, { first: "oldest", after: from.number, limit });
  return { rows: rows.length, first: rows[0], last: rows.at(-1), ...checkLinks(rows, from, digest) };
}

/** In which sessions something changed since a position, by the audit log. */
export function changePage(reader: SqliteConnection, { after, limit }: ChangeQuery): ChangePage | undefined {
  if (after === undefined) {
    return { sessions: [], position: positionBehind(auditRows(reader, { limit: 1 })[0]), hasMore: false, rows: 0 };
  }
  const before = rowBefore(after);
  const row = reader.statement("SELECT * FROM audit WHERE id = ?").get(before);
  if (positionBehind(row === undefined ? undefined : loggedOf(row as AuditRow)) !== after) return undefined;
  return changesIn(after, auditRows(reader, { first: "oldest", after: before, limit: limit + 1 }), limit);
}
