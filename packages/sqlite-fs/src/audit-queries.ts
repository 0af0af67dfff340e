import type { AuditAction, AuditQuery, LoggedEvent } from "@workrail/core";
import { loggedOf } from "./rows.ts";
import type { AuditRow } from "./schema.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";
import type { SqliteValue } from "./sqlite-driver.ts";

/** Actions outside of the index of rare actions. Must be written as in the migration of the index, so that SQLite uses the index. */
const FREQUENT: readonly AuditAction[] = ["save", "load", "prune"];
const IS_RARE = `action NOT IN (${FREQUENT.map((action) => `'${action}'`).join(", ")})`;

/** Reads rows of the audit log in the order of their numbers. */
export function auditRows(reader: SqliteConnection, query: AuditQuery): readonly LoggedEvent[] {
  const { sql, parameters } = auditQuery(query);
  return (reader.statement(sql).all(...parameters) as readonly AuditRow[]).map(loggedOf);
}

/** Builds the statement for a query. */
export function auditQuery({ actions, sessionId, checkpointId, at, since, until, limit, first = "newest", after }: AuditQuery): {
  readonly sql: string;
  readonly parameters: readonly SqliteValue[];
} {
  const isOldestFirst = first === "oldest";
  const conditions: [sql: string, ...parameters: SqliteValue[]][] = [];
  if (actions !== undefined) conditions.push([`action IN (${actions.map(() => "?").join(", ")})`, ...actions]);
  if (actions?.every((action) => !FREQUENT.includes(action)) === true) conditions.push([IS_RARE]);
  if (sessionId !== undefined) conditions.push(["session_id = ?", sessionId]);
  if (checkpointId !== undefined) conditions.push(["checkpoint_id = ?", checkpointId]);
  if (at !== undefined) conditions.push(["at = ?", at.getTime()]);
  if (since !== undefined) conditions.push(["at >= ?", since.getTime()]);
  if (until !== undefined) conditions.push(["at <= ?", until.getTime()]);
  if (after !== undefined) conditions.push([`id ${isOldestFirst ? ">" : "<"} ?`, after]);
  const where = conditions.length === 0 ? "" : `WHERE ${conditions.map(([sql]) => sql).join(" AND ")}`;
  return {
    sql: `SELECT * FROM audit ${where} ORDER BY id ${isOldestFirst ? "ASC" : "DESC"} LIMIT CAST(? AS INTEGER)`,
    parameters: [...conditions.flatMap(([, ...parameters]) => parameters), limit ?? -1],
  };
}
