import { type AuditEvent, type AuditPlace, type LoggedEvent, placeOf, type RowChange, type Settled, type Tables } from "@workrail/core";
import { CHECKPOINT_COLUMNS, SESSION_COLUMNS, summed, type Unsummed } from "./row-checksum.ts";
import { columnsOf, columnsOfSession, loggedOf, trashedRecord, trashedRowOf } from "./rows.ts";
import type { AuditRow, CheckpointRow, SessionRow, StoredTables, TrashedRow } from "./schema.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";
import type { SqliteValue } from "./sqlite-driver.ts";

/** Applies the change of a row. Runs within a write transaction, in which the row before was read. */
function applyRow(on: SqliteConnection, change: RowChange): void {
  switch (change.table) {
    case "session":
      return putSession(on, change.was, change.now);
    case "checkpoint":
      return putCheckpoint(on, change.was, change.now);
    case "edge":
      if (change.was !== undefined) run(on, "DELETE FROM edge WHERE dependent = ? AND base = ?", change.was.dependent, change.was.base);
      if (change.now !== undefined) run(on, PUT_EDGE, change.now.dependent, change.now.base);
      return;
    case "removal":
      if (change.now !== undefined) return putRemoval(on, change.now);
      return run(on, "DELETE FROM pending_removal WHERE blob = ?", change.was?.blob ?? null);
    case "erasure":
      if (change.now !== undefined) return run(on, PUT_ERASURE, change.now.blob, change.now.checkpointId, change.now.sessionId);
      return run(on, "DELETE FROM erasure WHERE blob = ?", change.was?.blob ?? null);
    case "hold":
      if (change.now !== undefined) return run(on, PUT_HOLD, HOLD + change.now.holder, change.now.until.getTime());
      return run(on, "DELETE FROM state WHERE key = ?", HOLD + (change.was?.holder ?? ""));
  }
}

/** Applies rows and audit rows. Returns the last audit row; `undefined` without audit rows. */
export function putRows(
  on: SqliteConnection,
  { rows, audit, auditThrough }: Pick<Settled<unknown>, "rows" | "audit" | "auditThrough">,
): AuditPlace | undefined {
  for (const row of rows) applyRow(on, row);
  const last = addToAudit(on, audit);
  if (auditThrough !== undefined) run(on, "DELETE FROM audit WHERE id <= ?", auditThrough);
  return last && placeOf(last);
}

/** Deletes the rows of all tables. The totals that triggers keep must be counted anew afterwards. */
export function clearRows(on: SqliteConnection): void {
  for (const table of [
    "checkpoint_attribute",
    "checkpoint_tag",
    "checkpoint",
    "trashed",
    "session",
    "edge",
    "pending_removal",
    "erasure",
    "audit",
  ]) {
    run(on, `DELETE FROM ${table}`);
  }
  run(on, "DELETE FROM state WHERE key >= 'hold:' AND key < 'hold;'");
}

/** Adds rows to the audit log. Rows that are not chained yet get the next numbers. */
function addToAudit(on: SqliteConnection, events: readonly (AuditEvent | LoggedEvent)[]): LoggedEvent | undefined {
  let last: LoggedEvent | undefined;
  for (const event of events) {
    last = "number" in event ? event : { ...event, number: 1 + ((last ?? lastLogged(on))?.number ?? 0), digest: undefined };
    const { number, at, action, sessionId = null, checkpointId = null, agentId = null, reason = null, digest, subject = null } = last;
    const bytes = digest === undefined ? null : Buffer.from(digest, "hex");
    run(on, PUT_AUDIT, number, at.getTime(), action, sessionId, checkpointId, agentId, reason, bytes, subject);
  }
  return last;
}

/** Replaces a row of `session`, found by its id. */
export function updateSession(on: SqliteConnection, row: SessionRow): void {
  write(on, UPDATE_SESSION, row);
}

/** Replaces a row of `checkpoint`, found by its ordinal. */
export function updateCheckpoint(on: SqliteConnection, row: CheckpointRow): void {
  write(on, UPDATE_CHECKPOINT, row);
}

function putSession(on: SqliteConnection, was: Tables["session"] | undefined, now: Tables["session"] | undefined): void {
  if (now === undefined) return run(on, "DELETE FROM session WHERE id = ?", was?.id ?? null);
  const row = columnsOfSession(now);
  // A trigger adds the bytes of a session to those of the store, and it runs on updates only.
  const before = was === undefined ? { ...row, total_bytes: 0 } : columnsOfSession(was);
  if (was === undefined) write(on, INSERT_SESSION, summed(before, SESSION_COLUMNS));
  if (SESSION_COLUMNS.some((column) => before[column] !== row[column])) write(on, UPDATE_SESSION, summed(row, SESSION_COLUMNS));
}

function putCheckpoint(on: SqliteConnection, was: Tables["checkpoint"] | undefined, now: Tables["checkpoint"] | undefined): void {
  if (now === undefined) return takeOut(on, was);
  const ordinal = now.commit ?? was?.commit ?? (on.statement(NEXT_ORDINAL).get() as Pick<CheckpointRow, "ordinal">).ordinal;
  const fresh = columnsOf(now.record, ordinal);
  if (was === undefined) return putInto(on, now, fresh);
  // Columns that do not change stay as they were written, perhaps by another version.
  const stored = storedRow(on, was);
  const columns = difference(columnsOf(was.record, ordinal), fresh, CHECKPOINT_COLUMNS);
  const row = { ...stored, ...columns };
  if (was.trashedAt === undefined && now.trashedAt === undefined) return columns && update(on, row, columns);
  // The trash is deleted and inserted even when a row stays there: its triggers run only then.
  takeOut(on, was);
  putInto(on, now, row);
}

function storedRow(on: SqliteConnection, { commit, record, trashedAt }: Tables["checkpoint"]): CheckpointRow {
  if (trashedAt === undefined) return on.statement("SELECT * FROM checkpoint WHERE ordinal = ?").get(commit ?? null) as CheckpointRow;
  const row = on.statement("SELECT * FROM trashed WHERE session_id = ? AND id = ?").get(record.sessionId, record.id);
  return trashedRowOf(row as TrashedRow);
}

function takeOut(on: SqliteConnection, row: Tables["checkpoint"] | undefined): void {
  if (row?.trashedAt === undefined) return run(on, "DELETE FROM checkpoint WHERE ordinal = ?", row?.commit ?? null);
  run(on, "DELETE FROM trashed WHERE session_id = ? AND id = ?", row.record.sessionId, row.record.id);
}

function putInto(on: SqliteConnection, { record, trashedAt }: Tables["checkpoint"], row: Unsummed<CheckpointRow>): void {
  if (trashedAt === undefined) {
    write(on, INSERT_CHECKPOINT, summed(row, CHECKPOINT_COLUMNS));
    return tag(on, row.ordinal, record.tags);
  }
  const at = trashedAt.getTime();
  run(on, PUT_INTO_TRASH, row.session_id, row.id, row.blob, row.blob_bytes, at, trashedRecord(row, at));
  run(on, KEEP_ORDINAL, row.ordinal);
}

function update(on: SqliteConnection, row: CheckpointRow, columns: Partial<Unsummed<CheckpointRow>>): void {
  const isOfIndex = INDEXED.some((column) => column in columns);
  write(on, isOfIndex ? UPDATE_CHECKPOINT : UPDATE_UNINDEXED, summed(row, CHECKPOINT_COLUMNS));
  if (columns.tags === undefined) return;
  run(on, "DELETE FROM checkpoint_tag WHERE ordinal = ?", row.ordinal);
  tag(on, row.ordinal, JSON.parse(row.tags) as readonly string[]);
}

function tag(on: SqliteConnection, ordinal: number, tags: readonly string[]): void {
  for (const each of new Set(tags)) run(on, "INSERT INTO checkpoint_tag (ordinal, tag) VALUES (?, ?)", ordinal, each);
}

function putRemoval(on: SqliteConnection, { blob, checkpointId, sessionId, isDone }: Tables["removal"]): void {
  run(on, PUT_REMOVAL, blob, checkpointId, sessionId, isDone ? 1 : 0);
}

/** Returns the columns that differ; `undefined` when none does. */
function difference<Row extends object>(was: Row, now: Row, columns: readonly (keyof Row)[]): Partial<Row> | undefined {
  const different = columns.filter((column) => was[column] !== now[column]);
  if (different.length === 0) return undefined;
  return Object.fromEntries(different.map((column) => [column, now[column]])) as Partial<Row>;
}

function lastLogged(on: SqliteConnection): AuditPlace | undefined {
  const row = on.statement("SELECT * FROM audit ORDER BY id DESC LIMIT 1").get() as AuditRow | undefined;
  return row && placeOf(loggedOf(row));
}

/** Statement that binds columns of a row, in this order. */
interface RowStatement<T extends keyof StoredTables> {
  readonly sql: string;
  readonly columns: readonly (keyof StoredTables[T])[];
}

function write<T extends keyof StoredTables>(on: SqliteConnection, { sql, columns }: RowStatement<T>, row: StoredTables[T]): void {
  on.statement(sql).run(...columns.map((column) => row[column] as SqliteValue));
}

function run(on: SqliteConnection, sql: string, ...parameters: readonly SqliteValue[]): void {
  on.statement(sql).run(...parameters);
}

type Columns<T extends keyof StoredTables> = readonly (keyof StoredTables[T] & string)[];

function insertionOf<T extends keyof StoredTables>(table: T, columns: Columns<T>): string {
  return `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`;
}

function updating<T extends keyof StoredTables>(table: T, key: keyof StoredTables[T] & string, columns: Columns<T>): RowStatement<T> {
  const changed = columns.filter((column) => column !== key);
  return { sql: `UPDATE ${table} SET ${changed.map((column) => `${column} = ?`).join(", ")} WHERE ${key} = ?`, columns: [...changed, key] };
}

const SESSION_WRITTEN = [...SESSION_COLUMNS, "checksum"] as const;
const INSERT_SESSION: RowStatement<"session"> = { sql: insertionOf("session", SESSION_WRITTEN), columns: SESSION_WRITTEN };
const UPDATE_SESSION = updating("session", "id", SESSION_WRITTEN);

const CHECKPOINT_WRITTEN = [...CHECKPOINT_COLUMNS, "checksum"] as const;
const INSERT_CHECKPOINT: RowStatement<"checkpoint"> = { sql: insertionOf("checkpoint", CHECKPOINT_WRITTEN), columns: CHECKPOINT_WRITTEN };
const UPDATE_CHECKPOINT = updating("checkpoint", "ordinal", CHECKPOINT_WRITTEN);

/** Columns of indexes of all rows. No rule changes them. SQLite writes an index when an update names a column of it. */
const INDEXED: readonly (keyof CheckpointRow)[] = ["id", "session_id", "sequence", "project", "blob"];
const UPDATE_UNINDEXED = updating(
  "checkpoint",
  "ordinal",
  CHECKPOINT_WRITTEN.filter((column) => !INDEXED.includes(column)),
);

const PUT_INTO_TRASH = insertionOf("trashed", ["session_id", "id", "blob", "blob_bytes", "trashed_at", "record"]);
const PUT_AUDIT = insertionOf("audit", ["id", "at", "action", "session_id", "checkpoint_id", "agent_id", "reason", "digest", "subject"]);
const PUT_EDGE = `${insertionOf("edge", ["dependent", "base"])} ON CONFLICT DO NOTHING`;
const PUT_ERASURE = `${insertionOf("erasure", ["blob", "checkpoint_id", "session_id"])} ON CONFLICT DO NOTHING`;
const PUT_REMOVAL = `${insertionOf("pending_removal", ["blob", "checkpoint_id", "session_id", "is_done"])}
  ON CONFLICT (blob) DO UPDATE SET is_done = excluded.is_done`;
const PUT_HOLD = `${insertionOf("state", ["key", "value"])} ON CONFLICT (key) DO UPDATE SET value = excluded.value`;
/** Prefix of the keys in `state` that hold removals; the holder's name follows. */
const HOLD = "hold:";

/** An ordinal is never reused: a checkpoint in the trash may come back with its own. */
const KEEP_ORDINAL = "INSERT INTO state VALUES ('last_ordinal', ?) ON CONFLICT (key) DO UPDATE SET value = max(value, excluded.value)";
const NEXT_ORDINAL = `SELECT 1 + max(coalesce((SELECT max(ordinal) FROM checkpoint), 0),
  coalesce((SELECT value FROM state WHERE key = 'last_ordinal'), 0)) AS ordinal`;
