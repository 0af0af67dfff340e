import { blobRefOf, directoryNameOf, fileNameOf } from "@workrail/blob-files";
import type {
  Append,
  AuditEvent,
  BlobRef,
  CatalogChange,
  CheckpointId,
  CheckpointRecord,
  CommitOutcome,
  Discrepancies,
  NewRecord,
  SessionFacts,
  SessionId,
  StoredForm,
} from "@workrail/core";
import { factsOf, recordOf, rowOf } from "./rows.ts";
import type { CheckpointRow, SessionRow } from "./schema.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";
import type { SqliteStatement, SqliteValue } from "./sqlite-driver.ts";

interface Appended {
  readonly record: CheckpointRecord;
  /** Of its session, itself included. */
  readonly checkpointCount: number;
}

/** What happens inside one write transaction, which the caller begins and ends. */
export class CatalogWrites {
  readonly #connection: SqliteConnection;
  /** Sessions whose facts outside of the database must be written again before COMMIT. */
  readonly #changed = new Set<SessionId>();

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  /** Decides and applies. On any other outcome than `committed` nothing was written. */
  apply(change: CatalogChange, hasBlob: (ref: BlobRef) => boolean): CommitOutcome {
    const refusal = change.append === undefined ? undefined : this.#refuse(change.append, hasBlob);
    if (refusal !== undefined) return refusal;
    const appended = change.append === undefined ? undefined : this.#append(change.append.record, change.append.session);
    const removed = change.append === undefined ? [] : this.#prune(change.append, appended?.checkpointCount ?? 0);
    if (change.pins !== undefined) this.#pin(change.pins);
    for (const { dependent, base } of change.edges?.add ?? []) this.#addEdge(dependent, base);
    for (const { dependent, base } of change.edges?.drop ?? []) {
      this.#run("DELETE FROM edge WHERE dependent = ? AND base = ?", dependent, base);
    }
    for (const { checkpointId, at } of change.accesses ?? []) this.#touch(checkpointId, at);
    for (const event of change.audit) this.#audit(event);
    return { status: "committed", record: appended?.record, removed };
  }

  /** Records how a checkpoint is kept from now on; `false`, having changed nothing, when it is not as expected or its base is gone. */
  changeForm(expected: CheckpointRecord, { blobBytes, baseId, keyId }: StoredForm): boolean {
    const row = this.#asExpected(expected);
    if (row === undefined) return false;
    if (baseId !== null && this.#statement("SELECT 1 FROM checkpoint WHERE id = ? AND damaged = 0").get(baseId) === undefined) return false;
    this.#run(
      "UPDATE checkpoint SET blob_bytes = ?, base_id = ?, key_id = ?, damaged = 0 WHERE ordinal = ?",
      blobBytes,
      baseId,
      keyId,
      row.ordinal,
    );
    this.#run("UPDATE session SET total_bytes = total_bytes + ? WHERE id = ?", blobBytes - row.blob_bytes, row.session_id);
    return true;
  }

  /** Marks a checkpoint as damaged; `false`, having changed nothing, when it is not as expected. */
  markDamaged(expected: CheckpointRecord, audit: AuditEvent): boolean {
    const row = this.#asExpected(expected);
    if (row === undefined || row.damaged === 1) return false;
    this.#run("UPDATE checkpoint SET damaged = 1 WHERE ordinal = ?", row.ordinal);
    this.#audit(audit);
    return true;
  }

  /** Has sums and edges say what the records do. */
  reconcile({ sums, edges }: Discrepancies): void {
    for (const sessionId of sums) {
      this.#run(
        `UPDATE session SET (checkpoint_count, total_bytes) =
           (SELECT count(*), coalesce(sum(blob_bytes), 0) FROM checkpoint WHERE session_id = session.id) WHERE id = ?`,
        sessionId,
      );
    }
    for (const { dependent, base } of edges) this.#addEdge(dependent, base);
  }

  /** The facts that this transaction changed, as they will be once it is committed. To be asked for once. */
  changedFacts(): readonly SessionFacts[] {
    return [...this.#changed].map((sessionId) => {
      // The blob is gone, and from now on the tombstone is too.
      this.#run("DELETE FROM pending_removal WHERE session_id = ? AND is_done = 1", sessionId);
      return this.#factsOf(this.#session(sessionId) as SessionRow);
    });
  }

  /**
   * The facts of the sessions that have blobs which were never recorded. Whoever left such a blob may have written the
   * facts that were to go with it, and a rebuild without the blob must not go by these.
   */
  factsBeside(refs: readonly BlobRef[]): readonly SessionFacts[] {
    const isPending = "SELECT 1 FROM pending_removal WHERE blob = ?";
    const strays = refs.filter((ref) => this.#statement(isPending).get(ref) === undefined);
    const sessions = [...new Set(strays.map(directoryNameOf))].map((name) => this.#sessionIn(name));
    return sessions.filter((session) => session !== undefined).map((session) => this.#factsOf(session));
  }

  /** Of the refs, or else of the pending removals, some that no record and no edge needs. */
  needless(refs: readonly BlobRef[] | undefined, limit: number): readonly BlobRef[] {
    if (refs !== undefined) return refs.filter((ref) => this.#statement(NEEDS_BLOB).get(ref, ref) === undefined).slice(0, limit);
    const rows = this.#statement(NEEDLESS).all(limit) as { blob: BlobRef }[];
    return rows.map((row) => row.blob);
  }

  /** A blob is gone: what it was encoded against may go too. */
  reclaimed(ref: BlobRef): void {
    this.#run("UPDATE pending_removal SET is_done = 1 WHERE blob = ?", ref);
    this.#run(
      `DELETE FROM edge WHERE dependent IN (SELECT checkpoint_id FROM pending_removal WHERE blob = ?)
         AND dependent NOT IN (SELECT id FROM checkpoint)`,
      ref,
    );
  }

  /** Fills an empty database. What is only known to have been removed is still to be reclaimed. */
  fill(records: readonly NewRecord[], sessions: readonly SessionFacts[], audit: AuditEvent): void {
    for (const record of records) {
      this.#append(record);
      if (record.baseId !== null) this.#addEdge(record.id, record.baseId);
    }
    for (const facts of sessions) {
      for (const id of facts.tombstones)
        this.#expectRemoval(facts.sessionId, id, blobRefOf({ sessionId: facts.sessionId, checkpointId: id }));
      this.#run(
        `INSERT INTO session (id, created_at, last_accessed_at, tags, pins, oldest_live) VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT (id) DO UPDATE SET created_at = excluded.created_at, tags = excluded.tags, pins = excluded.pins,
           oldest_live = excluded.oldest_live`,
        facts.sessionId,
        facts.createdAt.getTime(),
        facts.createdAt.getTime(),
        JSON.stringify(facts.tags),
        JSON.stringify(facts.pins),
        facts.oldestLive,
      );
    }
    this.#audit(audit);
  }

  #asExpected({ id, blob, blobBytes, baseId, keyId, damaged }: CheckpointRecord): CheckpointRow | undefined {
    const row = this.#statement("SELECT * FROM checkpoint WHERE id = ?").get(id) as CheckpointRow | undefined;
    if (row === undefined || row.blob !== blob || (row.damaged === 1) !== damaged) return undefined;
    return row.blob_bytes === blobBytes && row.base_id === baseId && row.key_id === keyId ? row : undefined;
  }

  #refuse({ record, expectedHead, unlessHeadIs }: Append, hasBlob: (ref: BlobRef) => boolean): CommitOutcome | undefined {
    const existing = this.#statement("SELECT * FROM checkpoint WHERE id = ?").get(record.id);
    if (existing !== undefined) return { status: "exists", record: recordOf(existing as CheckpointRow) };
    const row = this.#statement(HEAD).get(record.sessionId);
    const head = row === undefined ? undefined : recordOf(row as CheckpointRow);
    if (expectedHead !== undefined && (head?.id ?? null) !== expectedHead) return { status: "conflict", head };
    if (head !== undefined && head.canonicalDigest === unlessHeadIs) return { status: "unchanged", head };
    return hasBlob(record.blob) ? undefined : { status: "blob-missing" };
  }

  #append(record: NewRecord, begins?: Append["session"]): Appended {
    const { last_sequence: sequence, checkpoint_count: checkpointCount } = this.#countIn(record, begins);
    // An id that was removed lives again: neither its tombstone nor the removal of its blob may stand.
    if (this.#run("DELETE FROM pending_removal WHERE blob = ?", record.blob) > 0) this.#changed.add(record.sessionId);
    const row = rowOf(record, sequence);
    this.#run(INSERT_CHECKPOINT, ...INSERT_COLUMNS.map((column) => row[column]));
    for (const tag of new Set(record.tags)) {
      this.#run("INSERT INTO checkpoint_tag (ordinal, tag) VALUES (last_insert_rowid(), ?)", tag);
    }
    return { record: { ...record, sequence, lastAccessedAt: record.createdAt, damaged: false }, checkpointCount };
  }

  /** Gives a checkpoint its place in its session, which the first one brings into being. */
  #countIn({ sessionId, createdAt, blobBytes }: NewRecord, begins: Append["session"]): Counted {
    const at = createdAt.getTime();
    const countIn = (): Counted | undefined => this.#statement(COUNT_IN).get(at, blobBytes, sessionId) as Counted | undefined;
    const counted = countIn();
    if (counted !== undefined) return counted;
    this.#run(
      "INSERT INTO session (id, created_at, last_accessed_at, tags, pins) VALUES (?, ?, ?, ?, ?)",
      sessionId,
      begins?.createdAt.getTime() ?? at,
      at,
      JSON.stringify(begins?.tags ?? []),
      JSON.stringify(begins?.pins ?? []),
    );
    this.#changed.add(sessionId);
    return countIn() as Counted;
  }

  /** Removes the oldest beyond the limit. The blob of one that others are encoded against stays until none is. */
  #prune({ record, keepNewest }: Append, checkpointCount: number): readonly CheckpointRecord[] {
    // Most saves are far from the limit, and counting those of one kind takes time.
    if (keepNewest === undefined || checkpointCount <= keepNewest) return [];
    const { sessionId } = record;
    const oldest = this.#statement(
      `SELECT * FROM checkpoint WHERE session_id = +? AND kind = 'workflow' ORDER BY sequence
         LIMIT max(0, (SELECT count(*) FROM checkpoint WHERE session_id = ? AND kind = 'workflow') - ?)`,
    ).all(sessionId, sessionId, keepNewest) as CheckpointRow[];
    for (const row of oldest) this.#remove(row, record.createdAt);
    if (oldest.length > 0) {
      this.#changed.add(sessionId);
      this.#run(
        `UPDATE session SET oldest_live =
           (SELECT id FROM checkpoint WHERE session_id = session.id AND kind = 'workflow' ORDER BY sequence LIMIT 1)
         WHERE id = ?`,
        sessionId,
      );
    }
    return oldest.map(recordOf);
  }

  #remove(row: CheckpointRow, at: Date): void {
    this.#run("DELETE FROM checkpoint WHERE ordinal = ?", row.ordinal);
    const { id: checkpointId, sessionId, blob } = recordOf(row);
    this.#expectRemoval(sessionId, checkpointId, blob);
    this.#run(
      "UPDATE session SET checkpoint_count = checkpoint_count - 1, total_bytes = total_bytes - ? WHERE id = ?",
      row.blob_bytes,
      row.session_id,
    );
    this.#audit({ at, action: "prune", sessionId, checkpointId, agentId: undefined });
  }

  #expectRemoval(sessionId: SessionId, checkpointId: CheckpointId, blob: BlobRef): void {
    if (this.#statement("SELECT 1 FROM checkpoint WHERE blob = ?").get(blob) !== undefined) return;
    this.#run(
      `INSERT INTO pending_removal (blob, checkpoint_id, session_id) VALUES (?, ?, ?)
       ON CONFLICT (blob) DO UPDATE SET is_done = 0`,
      blob,
      checkpointId,
      sessionId,
    );
  }

  #addEdge(dependent: CheckpointId, base: CheckpointId): void {
    this.#run(`INSERT INTO edge (dependent, base) SELECT id, ? FROM checkpoint WHERE id = ? ON CONFLICT DO NOTHING`, base, dependent);
  }

  #pin({ sessionId, pin, release }: NonNullable<CatalogChange["pins"]>): void {
    const session = this.#session(sessionId);
    if (session === undefined) return;
    const before = JSON.parse(session.pins) as string[];
    const after = [...new Set([...before, ...pin])].filter((key) => !release.includes(key));
    this.#run("UPDATE session SET pins = ? WHERE id = ?", JSON.stringify(after), sessionId);
    this.#changed.add(sessionId);
  }

  #touch(id: CheckpointId, at: Date): void {
    const time = at.getTime();
    this.#run("UPDATE checkpoint SET last_accessed_at = max(last_accessed_at, ?) WHERE id = ?", time, id);
    this.#run(
      `UPDATE session SET last_accessed_at = max(last_accessed_at, ?)
       WHERE id = (SELECT session_id FROM checkpoint WHERE id = ?)`,
      time,
      id,
    );
  }

  #audit(event: AuditEvent): void {
    this.#run(
      "INSERT INTO audit (at, action, session_id, checkpoint_id, agent_id) VALUES (?, ?, ?, ?, ?)",
      event.at.getTime(),
      event.action,
      event.sessionId ?? null,
      event.checkpointId ?? null,
      event.agentId ?? null,
    );
  }

  #factsOf(session: SessionRow): SessionFacts {
    const pending = this.#statement("SELECT checkpoint_id FROM pending_removal WHERE session_id = ? AND is_done = 0").all(session.id);
    return factsOf(
      session,
      (pending as { checkpoint_id: CheckpointId }[]).map((row) => row.checkpoint_id),
    );
  }

  /** Most directories are named by the id itself; for the others all sessions are looked at. */
  #sessionIn(directoryName: string): SessionRow | undefined {
    const named = this.#session(directoryName as SessionId);
    if (named !== undefined) return named;
    const all = this.#statement("SELECT * FROM session").all() as readonly SessionRow[];
    return all.find((session) => fileNameOf(session.id) === directoryName);
  }

  #session(id: SessionId): SessionRow | undefined {
    return this.#statement("SELECT * FROM session WHERE id = ?").get(id) as SessionRow | undefined;
  }

  /** Returns how many rows it changed. */
  #run(sql: string, ...parameters: readonly SqliteValue[]): number {
    return Number(this.#statement(sql).run(...parameters).changes);
  }

  #statement(sql: string): SqliteStatement {
    return this.#connection.statement(sql);
  }
}

/**
 * Of those that can be head: an aside or a damaged one never is.
 *
 * Where rows are ordered, SQLite plans a statement anew each time that a parameter is bound which a column is compared
 * with, and that takes ten times as long as finding the row. Behind a `+` the parameter is any expression, and the plan stays.
 */
export const HEAD = `SELECT * FROM checkpoint WHERE session_id = +? AND kind <> 'aside' AND damaged = 0
  ORDER BY sequence DESC LIMIT 1`;

const COUNT_IN = `UPDATE session SET last_sequence = last_sequence + 1, last_accessed_at = max(last_accessed_at, ?),
    checkpoint_count = checkpoint_count + 1, total_bytes = total_bytes + ?
  WHERE id = ? RETURNING last_sequence, checkpoint_count`;
type Counted = Pick<SessionRow, "last_sequence" | "checkpoint_count">;

/** A record needs its blob; and a checkpoint that is gone may still be what another one is encoded against. */
const NEEDS_BLOB = `SELECT 1 WHERE EXISTS (SELECT 1 FROM checkpoint WHERE blob = ?)
  OR EXISTS (SELECT 1 FROM pending_removal JOIN edge ON edge.base = pending_removal.checkpoint_id WHERE blob = ?)`;

/** No record has them: `append` takes them off the list. */
const NEEDLESS = `SELECT blob FROM pending_removal WHERE is_done = 0
  AND NOT EXISTS (SELECT 1 FROM edge WHERE edge.base = pending_removal.checkpoint_id) LIMIT ?`;

const INSERT_COLUMNS = [
  "id",
  "session_id",
  "sequence",
  "parent_id",
  "kind",
  "created_at",
  "last_accessed_at",
  "agent_id",
  "workflow_id",
  "project",
  "name",
  "tags",
  "attributes",
  "exact_digest",
  "canonical_digest",
  "context_bytes",
  "layers",
  "writer",
  "blob",
  "blob_bytes",
  "base_id",
  "key_id",
  "damaged",
  "folded",
  "folded_name",
] as const;

const INSERT_CHECKPOINT = `INSERT INTO checkpoint (${INSERT_COLUMNS.join(", ")}) VALUES (${INSERT_COLUMNS.map(() => "?").join(", ")})`;
