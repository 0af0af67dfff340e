import type { SessionId } from "@workrail/core";
import {
  CHECKPOINT_COLUMNS,
  checkedCheckpoint,
  checkedSession,
  checkpointChecksum,
  sessionChecksum,
  summed,
  type Unsummed,
} from "./row-checksum.ts";
import type { CheckpointRow, SessionRow } from "./schema.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";
import type { SqliteStatement, SqliteValue } from "./sqlite-driver.ts";

/**
 * Reads and writes rows of `checkpoint` and `session` one by one, within a write transaction. Verifies the checksum of each row it
 * reads, and updates the checksum of each row it writes.
 *
 * All methods throw an error with the code SQLITE_CORRUPT when a row that they read is not as it was written.
 */
export class CheckedRows {
  readonly #connection: SqliteConnection;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  checkpoint(id: string): CheckpointRow | undefined {
    const row = this.#statement("SELECT * FROM checkpoint WHERE id = ?").get(id);
    return row === undefined ? undefined : checkedCheckpoint(row as CheckpointRow);
  }

  addCheckpoint(row: Unsummed<CheckpointRow>, tags: readonly string[]): void {
    const added = summed(row);
    this.#run(INSERT_CHECKPOINT, ...INSERTED_COLUMNS.map((column) => added[column]));
    this.#tag(row.ordinal, tags);
  }

  /** @param row the row as it was read. */
  changeCheckpoint(row: CheckpointRow, changes: Partial<Unsummed<CheckpointRow>>): void {
    const fresh = { ...changes, checksum: checkpointChecksum({ ...row, ...changes }) };
    this.#run(`UPDATE checkpoint SET ${assigned(fresh)} WHERE ordinal = ?`, ...Object.values(fresh), row.ordinal);
  }

  /** Restores a damaged row to its corrected columns, with their checksum. */
  restoreCheckpoint(was: CheckpointRow): void {
    const { checksum: _checksum, ...columns } = was;
    this.changeCheckpoint(was, columns);
  }

  retag({ ordinal }: Pick<CheckpointRow, "ordinal">, tags: readonly string[]): void {
    this.#run("DELETE FROM checkpoint_tag WHERE ordinal = ?", ordinal);
    this.#tag(ordinal, tags);
  }

  session(id: string): SessionRow | undefined {
    const row = this.#statement("SELECT * FROM session WHERE id = ?").get(id);
    return row === undefined ? undefined : checkedSession(row as SessionRow);
  }

  sessionIds(): readonly SessionId[] {
    return (this.#statement("SELECT id FROM session").all() as readonly { readonly id: SessionId }[]).map(({ id }) => id);
  }

  /** Adds a session with no checkpoints. */
  addSession(known: Pick<SessionRow, "id" | "created_at" | "last_accessed_at" | "tags" | "pins" | "oldest_live">): void {
    const session = { ...known, checkpoint_count: 0, total_bytes: 0, last_sequence: 0, aside_count: 0 };
    const added = { ...session, checksum: sessionChecksum(session) };
    const columns = Object.keys(added);
    this.#run(`INSERT INTO session (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`, ...Object.values(added));
  }

  /** Changes a session. Returns the changed row; `undefined` when there is no such session. */
  changeSession(id: string, change: (session: SessionRow) => Partial<Unsummed<SessionRow>>): SessionRow | undefined {
    const session = this.session(id);
    if (session === undefined) return undefined;
    return this.#putSession(session, change(session));
  }

  /** Restores a damaged row to its corrected columns, with their checksum. */
  restoreSession(was: SessionRow): void {
    const { checksum: _checksum, ...columns } = was;
    this.#putSession(was, columns);
  }

  #putSession(session: SessionRow, changes: Partial<Unsummed<SessionRow>>): SessionRow {
    const fresh = { ...changes, checksum: sessionChecksum({ ...session, ...changes }) };
    this.#run(`UPDATE session SET ${assigned(fresh)} WHERE id = ?`, ...Object.values(fresh), session.id);
    return { ...session, ...fresh };
  }

  #tag(ordinal: number, tags: readonly string[]): void {
    for (const tag of new Set(tags)) this.#run("INSERT INTO checkpoint_tag (ordinal, tag) VALUES (?, ?)", ordinal, tag);
  }

  #run(sql: string, ...parameters: readonly SqliteValue[]): void {
    this.#statement(sql).run(...parameters);
  }

  #statement(sql: string): SqliteStatement {
    return this.#connection.statement(sql);
  }
}

/** Assignments for `SET`, with a parameter for each value. */
function assigned(values: object): string {
  return Object.keys(values)
    .map((column) => `${column} = ?`)
    .join(", ");
}

const INSERTED_COLUMNS = [...CHECKPOINT_COLUMNS, "checksum"] as const;
const INSERT_CHECKPOINT = `INSERT INTO checkpoint (${INSERTED_COLUMNS.join(", ")}) VALUES (${INSERTED_COLUMNS.map(() => "?").join(", ")})`;
