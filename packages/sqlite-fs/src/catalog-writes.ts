import { blobRefOf, directoryNameOf, fileNameOf } from "@workrail/blob-files";
import type {
  Append,
  AuditCut,
  AuditDigest,
  AuditEvent,
  BlobRef,
  CatalogChange,
  CheckpointId,
  CheckpointRecord,
  CommitOutcome,
  Forgetting,
  Move,
  NewRecord,
  QuotaUsage,
  Rewriting,
  SessionFacts,
  SessionId,
  Shield,
  StoredForm,
} from "@workrail/core";
import { actionOfMove, asidesToRemove, exceededQuota, isShielded, KEEP_TAG, tombstonesOf } from "@workrail/core";
import { AuditWrites } from "./audit-writes.ts";
import { CheckedRows } from "./checked-rows.ts";
import { addEdge, countAnew, type Sums } from "./discrepancies.ts";
import { headOf } from "./head-of.ts";
import type { Unsummed } from "./row-checksum.ts";
import { factsOf, labelsOf, recordOf, rowOf, trashedRecord, trashedRowOf } from "./rows.ts";
import type { CheckpointRow, SessionRow, TrashedRow } from "./schema.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";
import type { SqliteStatement, SqliteValue } from "./sqlite-driver.ts";
import { databaseDamaged } from "./storage-errors.ts";
import { bytesWith, IS_FORGETTABLE, shieldsOf, trashOf } from "./usage-queries.ts";

interface Appended {
  readonly record: CheckpointRecord;
  /** Number of checkpoints in the session, this one included. */
  readonly checkpointCount: number;
}

/** Writes of one transaction, which the caller begins and ends. */
export class CatalogWrites {
  readonly #connection: SqliteConnection;
  readonly #rows: CheckedRows;
  readonly #audit: AuditWrites;
  /** Sessions whose facts files must be rewritten before COMMIT. */
  readonly #changed = new Set<SessionId>();

  /** @param digest chains the audit log. */
  constructor(connection: SqliteConnection, digest: AuditDigest) {
    this.#connection = connection;
    this.#rows = new CheckedRows(connection);
    this.#audit = new AuditWrites(connection, digest);
  }

  /** Checks the conditions of a change and applies it. Writes nothing unless the outcome is `committed`. */
  apply(change: CatalogChange, hasBlob: (ref: BlobRef) => boolean): CommitOutcome {
    const before = change.append?.quota === undefined ? undefined : bytesWith(this.#connection, change.append.record.sessionId);
    const refusal = change.append === undefined ? undefined : this.#refuse(change.append, before, hasBlob);
    if (refusal !== undefined) return refusal;
    const appended = change.append === undefined ? undefined : this.#append(change.append.record, change.append.session);
    const removed = change.append === undefined ? [] : this.#makeRoom(change.append, appended?.checkpointCount ?? 0);
    const moved = change.move === undefined ? [] : this.#move(change.move);
    for (const id of change.erased ?? []) this.#endErasures("checkpoint_id", id);
    const forgotten = change.forget === undefined ? [] : this.#forget(change.forget);
    if (change.pins !== undefined) this.#relabel(change.pins.sessionId, "pins", change.pins.pin, change.pins.release);
    if (change.tags !== undefined) this.#relabel(change.tags.sessionId, "tags", change.tags.add, change.tags.remove);
    for (const { dependent, base } of change.edges?.add ?? []) addEdge(this.#connection, dependent, base);
    for (const { dependent, base } of change.edges?.drop ?? []) {
      this.#run("DELETE FROM edge WHERE dependent = ? AND base = ?", dependent, base);
    }
    for (const { checkpointId, at } of change.accesses ?? []) this.#touch(checkpointId, at);
    const shielded = this.#shield(change.shields ?? []);
    for (const event of change.audit) this.#audit.add(event);
    const record = appended && (shielded.find(({ id }) => id === appended.record.id) ?? appended.record);
    const bytes = before === undefined ? undefined : this.#bytesAfter(before, change.append as Append, removed, change.move);
    return { status: "committed", record, removed, shielded, moved, forgotten, bytes };
  }

  /** Bytes of the session and the store after the change, derived from the bytes before unless checkpoints were moved too. */
  #bytesAfter(before: QuotaUsage, { record }: Append, removed: readonly CheckpointRecord[], move: Move | undefined): QuotaUsage {
    if (move !== undefined) return bytesWith(this.#connection, record.sessionId);
    const more = removed.reduce((sum, { blobBytes }) => sum - blobBytes, record.blobBytes);
    return { session: before.session + more, store: before.store + more };
  }

  /** Records the new stored form of a checkpoint. Changes nothing and returns `false` when the row has changed or the base is gone. */
  changeForm(expected: CheckpointRecord, becomes: StoredForm): boolean {
    const { blobBytes, baseId, keyId } = becomes;
    if (baseId !== null && this.#statement("SELECT 1 FROM checkpoint WHERE id = ? AND damaged = 0").get(baseId) === undefined) return false;
    const row = this.#asExpected(expected);
    if (row === undefined) return this.#changeTrashed(expected, becomes);
    this.#rows.changeCheckpoint(row, { blob_bytes: blobBytes, base_id: baseId, key_id: keyId, damaged: 0 });
    this.#rows.changeSession(row.session_id, (session) => ({ total_bytes: session.total_bytes + blobBytes - row.blob_bytes }));
    return true;
  }

  /** `changeForm` for a checkpoint in the trash. Deletes and inserts the row: the triggers that keep `trash_bytes` run only then. */
  #changeTrashed(expected: CheckpointRecord, { blobBytes, baseId, keyId }: StoredForm): boolean {
    const trashed = this.#statement("SELECT * FROM trashed WHERE id = ?").get(expected.id) as TrashedRow | undefined;
    const row = trashed === undefined ? undefined : trashedRowOf(trashed);
    if (trashed === undefined || row === undefined || !isKeptAs(row, expected)) return false;
    this.#run("DELETE FROM trashed WHERE session_id = ? AND id = ?", trashed.session_id, trashed.id);
    this.#putIntoTrash({ ...row, blob_bytes: blobBytes, base_id: baseId, key_id: keyId, damaged: 0 }, trashed.trashed_at);
    return true;
  }

  /** Marks a checkpoint as damaged. Returns `false` and changes nothing when the row is not as expected. */
  markDamaged(expected: CheckpointRecord, audit: AuditEvent): boolean {
    const row = this.#asExpected(expected);
    if (row === undefined || row.damaged === 1) return false;
    this.#rows.changeCheckpoint(row, { damaged: 1 });
    this.#audit.add(audit);
    return true;
  }

  rewrite(rewriting: Rewriting): void {
    const { record, labels } = rewriting;
    for (const row of this.#statement("SELECT * FROM checkpoint").all() as CheckpointRow[]) {
      const fresh = record(recordOf(row));
      this.#rows.changeCheckpoint(row, textsOf(row, fresh));
      this.#rows.retag(row, fresh.tags);
    }
    for (const trashed of this.#statement("SELECT * FROM trashed").all() as TrashedRow[]) {
      const row = trashedRowOf(trashed);
      const fresh = { ...row, ...textsOf(row, record(recordOf(row))) };
      this.#run("UPDATE trashed SET record = ? WHERE id = ?", trashedRecord(fresh, trashed.trashed_at), trashed.id);
    }
    for (const id of this.#rows.sessionIds()) {
      this.#rows.changeSession(id, (session) => {
        const { tags, pins } = labels({ tags: labelsOf(session.tags), pins: labelsOf(session.pins) });
        return { tags: JSON.stringify(tags), pins: JSON.stringify(pins) };
      });
      this.#changed.add(id);
    }
    this.#audit.rewrite(rewriting);
    countAnew(this.#connection);
  }

  cutAudit(cut: AuditCut): number {
    return this.#audit.cut(cut);
  }

  hold(holder: string, until: Date): void {
    const sql = "INSERT INTO state (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value";
    this.#run(sql, HOLD + holder, until.getTime());
  }

  release(holder: string): void {
    this.#run("DELETE FROM state WHERE key = ?", HOLD + holder);
  }

  /** Facts of the sessions that this transaction changed, as they are after the commit. Call it once. */
  changedFacts(): readonly SessionFacts[] {
    return [...this.#changed].map((sessionId) => {
      // The blob is gone, so its tombstone is no longer needed.
      this.#run("DELETE FROM pending_removal WHERE session_id = ? AND is_done = 1", sessionId);
      return this.#factsOf(this.#rows.session(sessionId) as SessionRow);
    });
  }

  /**
   * Facts of the sessions that have unrecorded blobs. A process that left such a blob may also have written the facts for
   * it, and a rebuild without the blob must not use these facts.
   */
  factsBeside(refs: readonly BlobRef[]): readonly SessionFacts[] {
    const isPending = "SELECT 1 FROM pending_removal WHERE blob = ?";
    const strays = refs.filter((ref) => this.#statement(isPending).get(ref) === undefined);
    const sessions = [...new Set(strays.map(directoryNameOf))].map((name) => this.#sessionIn(name));
    return sessions.filter((session) => session !== undefined).map((session) => this.#factsOf(session));
  }

  /**
   * Returns up to `limit` blobs, of `refs` or of the pending removals, that no record and no edge needs. Returns none while
   * removals are on hold.
   */
  needless(refs: readonly BlobRef[] | undefined, limit: number): readonly BlobRef[] {
    if (this.#statement(ACTIVE_HOLD).get(Date.now()) !== undefined) return [];
    if (refs !== undefined) return refs.filter((ref) => this.#statement(NEEDS_BLOB).get(ref, ref, ref) === undefined).slice(0, limit);
    const rows = this.#statement(NEEDLESS).all(limit) as { blob: BlobRef }[];
    return rows.map((row) => row.blob);
  }

  isToBeErased(ref: BlobRef): boolean {
    return this.#statement("SELECT 1 FROM erasure WHERE blob = ?").get(ref) !== undefined;
  }

  /** Notes that a blob is gone and deletes its edges, so that its bases can be removed too. */
  reclaimed(ref: BlobRef): void {
    this.#run("UPDATE pending_removal SET is_done = 1 WHERE blob = ?", ref);
    this.#run(DELETE_EDGES_OF, ref);
  }

  /** Fills an empty database. Tombstones become pending removals, to be reclaimed later. */
  fill(records: readonly NewRecord[], sessions: readonly SessionFacts[], audit: AuditEvent): void {
    const tombstones = tombstonesOf(sessions);
    for (const record of records) {
      if (record.baseId !== null)
        this.#run("INSERT INTO edge (dependent, base) VALUES (?, ?) ON CONFLICT DO NOTHING", record.id, record.baseId);
      if (tombstones.get(record.sessionId)?.has(record.id) !== true) this.#append(record);
    }
    for (const { sessionId, trash, shields } of sessions) {
      for (const { checkpointId, until } of shields) {
        const row = this.#rows.checkpoint(checkpointId);
        if (row?.session_id === sessionId) this.#rows.changeCheckpoint(row, { shielded_until: until.getTime() });
      }
      for (const { checkpointId, at } of trash) {
        const row = this.#rows.checkpoint(checkpointId);
        if (row?.session_id !== sessionId) continue;
        this.#takeOut(row);
        this.#intoTrash(row, at);
      }
    }
    const usedAt = audit.at.getTime();
    for (const facts of sessions) {
      const blobOf = (checkpointId: CheckpointId): BlobRef => blobRefOf({ sessionId: facts.sessionId, checkpointId });
      for (const id of facts.tombstones) this.#expectRemoval(facts.sessionId, id, blobOf(id));
      for (const id of facts.erasing) if (!this.#isNeeded(blobOf(id))) this.#expectErasure(facts.sessionId, id, blobOf(id));
      const known = {
        created_at: facts.createdAt.getTime(),
        tags: JSON.stringify(facts.tags),
        pins: JSON.stringify(facts.pins),
        oldest_live: facts.oldestLive,
      };
      const changed = this.#rows.changeSession(facts.sessionId, () => known);
      if (changed === undefined) this.#rows.addSession({ id: facts.sessionId, last_accessed_at: usedAt, ...known });
    }
    for (const id of this.#rows.sessionIds()) this.#rows.changeSession(id, () => ({ last_accessed_at: usedAt }));
    this.#audit.add(audit);
  }

  #asExpected(expected: CheckpointRecord): CheckpointRow | undefined {
    const row = this.#rows.checkpoint(expected.id);
    return row !== undefined && isKeptAs(row, expected) ? row : undefined;
  }

  #refuse(
    { record, expectedHead, unlessHeadIs, asides, quota }: Append,
    bytes: QuotaUsage | undefined,
    hasBlob: (ref: BlobRef) => boolean,
  ): CommitOutcome | undefined {
    const existing = this.#rows.checkpoint(record.id);
    if (existing !== undefined) return { status: "exists", record: recordOf(existing) };
    const trashed = this.#trashed(record.id);
    if (trashed !== undefined) return { status: "in-trash", record: recordOf(trashed) };
    const head = headOf(this.#connection, record.sessionId);
    if (expectedHead !== undefined && (head?.id ?? null) !== expectedHead) return { status: "conflict", head };
    if (head !== undefined && head.canonicalDigest === unlessHeadIs) return { status: "unchanged", head };
    if (!hasBlob(record.blob)) return { status: "blob-missing" };
    if (asides !== undefined && asidesToRemove(this.#asidesIn(record), record, asides) === undefined) return { status: "asides-full" };
    if (quota === undefined || bytes === undefined) return undefined;
    const over = exceededQuota(bytes, record.blobBytes, quota);
    return over === undefined ? undefined : { status: "over-quota", over, bytes };
  }

  #append(record: NewRecord, begins?: Append["session"]): Appended {
    const { last_sequence: sequence, checkpoint_count: checkpointCount } = this.#countIn(record, begins);
    // A removed id is saved again: delete its tombstone and the pending removal of its blob.
    if (this.#run("DELETE FROM pending_removal WHERE blob = ?", record.blob) > 0) this.#changed.add(record.sessionId);
    this.#endErasures("blob", record.blob);
    const { ordinal } = this.#statement(NEXT_ORDINAL).get() as Pick<CheckpointRow, "ordinal">;
    this.#rows.addCheckpoint(rowOf(record, ordinal, sequence), record.tags);
    const fresh = { sequence, lastAccessedAt: record.createdAt, damaged: false, shieldedUntil: undefined };
    return { record: { ...record, ...fresh }, checkpointCount };
  }

  /** Counts a checkpoint in its session and gives it a sequence. Creates the session for its first checkpoint. */
  #countIn({ sessionId, createdAt, blobBytes, kind }: NewRecord, begins: Append["session"]): SessionRow {
    const at = createdAt.getTime();
    const countIn = (): SessionRow | undefined =>
      this.#rows.changeSession(sessionId, (session) => ({
        ...weighing(session, 1, { kind, blob_bytes: blobBytes }),
        last_sequence: session.last_sequence + 1,
        last_accessed_at: Math.max(session.last_accessed_at, at),
      }));
    const counted = countIn();
    if (counted !== undefined) return counted;
    this.#rows.addSession({
      id: sessionId,
      created_at: begins?.createdAt.getTime() ?? at,
      last_accessed_at: at,
      tags: JSON.stringify(begins?.tags ?? []),
      pins: JSON.stringify(begins?.pins ?? []),
      oldest_live: null,
    });
    this.#changed.add(sessionId);
    return countIn() as SessionRow;
  }

  /** Removes checkpoints beyond the limits. A blob that other checkpoints are encoded against stays until none needs it. */
  #makeRoom({ record, keepNewest, asides }: Append, checkpointCount: number): readonly CheckpointRecord[] {
    const { sessionId, createdAt: at, agentId } = record;
    const unneeded = asides === undefined ? [] : (asidesToRemove(this.#asidesIn(record), record, asides) ?? []);
    const removed = [...this.#beyond(keepNewest, record, checkpointCount), ...unneeded];
    for (const each of removed) {
      this.#takeOut(this.#rows.checkpoint(each.id) as CheckpointRow);
      this.#expectRemoval(sessionId, each.id, each.blob);
      this.#audit.add({ at, action: "prune", sessionId, checkpointId: each.id, agentId });
    }
    if (removed.length > 0) this.#noteOldest(sessionId);
    return removed;
  }

  #beyond(keepNewest: number | undefined, { id, sessionId, createdAt }: NewRecord, checkpointCount: number): readonly CheckpointRecord[] {
    // Most saves are far from the limit, and counting the checkpoints of one kind takes time.
    if (keepNewest === undefined || checkpointCount <= keepNewest) return [];
    if (labelsOf(this.#rows.session(sessionId)?.tags ?? "[]").includes(KEEP_TAG)) return [];
    const rows = this.#statement(OLDEST).all(sessionId, id, createdAt.getTime(), sessionId, keepNewest) as CheckpointRow[];
    const oldest = rows.map(recordOf);
    // Pruning is final, and the rows of `checkpoint_tag` have no checksum: compare with the tags of the record.
    if (oldest.some(({ tags }) => tags.includes(KEEP_TAG)))
      throw databaseDamaged("A tag of the catalog is not there that a checkpoint has.");
    return oldest;
  }

  /** All asides of the session except this one. */
  #asidesIn({ id, sessionId }: NewRecord): readonly CheckpointRecord[] {
    const rows = this.#statement("SELECT * FROM checkpoint WHERE session_id = ? AND kind = 'aside' AND id <> ?").all(sessionId, id);
    return (rows as CheckpointRow[]).map(recordOf);
  }

  #shield(shields: readonly Shield[]): readonly CheckpointRecord[] {
    for (const { checkpointId, until } of shields) {
      const row = this.#rows.checkpoint(checkpointId);
      if (row === undefined || (row.shielded_until ?? 0) >= until.getTime()) continue;
      this.#rows.changeCheckpoint(row, { shielded_until: until.getTime() });
      this.#changed.add(row.session_id as SessionId);
    }
    const rows = [...new Set(shields.map(({ checkpointId }) => checkpointId))].map((id) => this.#rows.checkpoint(id));
    return rows.filter((row) => row !== undefined).map(recordOf);
  }

  /** Moves checkpoints. Their order in the list makes no difference. */
  #move({
    sessionId,
    checkpoints,
    from,
    to,
    at,
    reason,
    agentId,
    unlessUsedSince,
    sparesShielded = false,
    erases = false,
  }: Move): readonly CheckpointRecord[] {
    const session = this.#rows.session(sessionId);
    if (session === undefined || (unlessUsedSince !== undefined && session.last_accessed_at > unlessUsedSince.getTime())) return [];
    const there = (id: CheckpointId): CheckpointRow | undefined => (from === "live" ? this.#rows.checkpoint(id) : this.#trashed(id));
    const isGoing = (row: CheckpointRow | undefined): row is CheckpointRow => {
      return row?.session_id === sessionId && !(sparesShielded && isShielded(recordOf(row), at));
    };
    const rows = [...new Set(checkpoints)].map(there).filter(isGoing);
    const moved = rows.map(recordOf);
    for (const [index, row] of rows.entries()) {
      const record = moved[index] as CheckpointRecord;
      if (from === "live") this.#takeOut(row);
      else this.#run("DELETE FROM trashed WHERE session_id = ? AND id = ?", sessionId, record.id);
      if (to === "trash") this.#intoTrash(row, at);
      else if (to === "live") this.#bringBack(row, record.tags);
      else this.#expectRemoval(sessionId, record.id, record.blob);
      if (to === "nowhere" && erases) this.#expectErasure(sessionId, record.id, record.blob);
      this.#audit.add({ at, action: actionOfMove({ to }), sessionId, checkpointId: record.id, agentId, reason });
    }
    if (rows.length > 0) this.#noteOldest(sessionId);
    return moved;
  }

  #forget({ sessions, unusedSince, at }: Forgetting): readonly SessionId[] {
    const isEmpty = `SELECT 1 FROM session WHERE id = ? AND last_accessed_at <= ? AND ${IS_FORGETTABLE}`;
    const empty = [...new Set(sessions)].filter((id) => this.#statement(isEmpty).get(id, unusedSince.getTime()) !== undefined);
    for (const sessionId of empty) {
      this.#run("DELETE FROM pending_removal WHERE session_id = ?", sessionId);
      this.#run("DELETE FROM session WHERE id = ?", sessionId);
      this.#changed.delete(sessionId);
      this.#audit.add({ at, action: "delete", sessionId, checkpointId: undefined, agentId: undefined, reason: "empty" });
    }
    return empty;
  }

  #takeOut(row: CheckpointRow): void {
    this.#run("DELETE FROM checkpoint WHERE ordinal = ?", row.ordinal);
    this.#rows.changeSession(row.session_id, (session) => weighing(session, -1, row));
  }

  #putIntoTrash(row: Unsummed<CheckpointRow>, at: number): void {
    const sql = "INSERT INTO trashed (session_id, id, blob, blob_bytes, trashed_at, record) VALUES (?, ?, ?, ?, ?, ?)";
    this.#run(sql, row.session_id, row.id, row.blob, row.blob_bytes, at, trashedRecord(row, at));
  }

  #intoTrash(row: CheckpointRow, at: Date): void {
    this.#putIntoTrash(row, at.getTime());
    // The ordinal must not be given to another checkpoint: this one may come back.
    this.#run(
      "INSERT INTO state VALUES ('last_ordinal', ?) ON CONFLICT (key) DO UPDATE SET value = max(value, excluded.value)",
      row.ordinal,
    );
  }

  /** Restores a row with its old ordinal and sequence. */
  #bringBack(row: CheckpointRow, tags: readonly string[]): void {
    this.#rows.addCheckpoint(row, tags);
    this.#rows.changeSession(row.session_id, (session) => weighing(session, 1, row));
  }

  /** Records the oldest checkpoint that is left: its ancestors are known to be gone. */
  #noteOldest(sessionId: SessionId): void {
    this.#changed.add(sessionId);
    const oldest = this.#statement(OLDEST_ID).get(sessionId) as Pick<CheckpointRow, "id"> | undefined;
    this.#rows.changeSession(sessionId, () => ({ oldest_live: oldest?.id ?? null }));
  }

  #expectRemoval(sessionId: SessionId, checkpointId: CheckpointId, blob: BlobRef): void {
    if (this.#isNeeded(blob)) return;
    this.#run(
      `INSERT INTO pending_removal (blob, checkpoint_id, session_id) VALUES (?, ?, ?)
       ON CONFLICT (blob) DO UPDATE SET is_done = 0`,
      blob,
      checkpointId,
      sessionId,
    );
  }

  #expectErasure(sessionId: SessionId, checkpointId: CheckpointId, blob: BlobRef): void {
    const sql = "INSERT INTO erasure (blob, checkpoint_id, session_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING";
    this.#run(sql, blob, checkpointId, sessionId);
  }

  #endErasures(column: "blob" | "checkpoint_id", value: string): void {
    const rows = this.#statement(`DELETE FROM erasure WHERE ${column} = ? RETURNING session_id`).all(value) as { session_id: SessionId }[];
    for (const { session_id: sessionId } of rows) if (this.#rows.session(sessionId) !== undefined) this.#changed.add(sessionId);
  }

  #isNeeded(blob: BlobRef): boolean {
    const isNeeded = "SELECT 1 FROM checkpoint WHERE blob = ? UNION ALL SELECT 1 FROM trashed WHERE blob = ?";
    return this.#statement(isNeeded).get(blob, blob) !== undefined;
  }

  #relabel(sessionId: SessionId, labels: "pins" | "tags", add: readonly string[], remove: readonly string[]): void {
    const relabelled = this.#rows.changeSession(sessionId, (session) => {
      const after = [...new Set([...labelsOf(session[labels]), ...add])].filter((label) => !remove.includes(label));
      return { [labels]: JSON.stringify(after) };
    });
    if (relabelled !== undefined) this.#changed.add(sessionId);
  }

  #touch(id: CheckpointId, at: Date): void {
    const row = this.#rows.checkpoint(id);
    if (row === undefined) return;
    const used = ({ last_accessed_at: before }: CheckpointRow | SessionRow) => ({ last_accessed_at: Math.max(before, at.getTime()) });
    this.#rows.changeCheckpoint(row, used(row));
    this.#rows.changeSession(row.session_id, used);
  }

  #factsOf(session: SessionRow): SessionFacts {
    const pending = this.#statement("SELECT checkpoint_id FROM pending_removal WHERE session_id = ? AND is_done = 0").all(session.id);
    const erasing = this.#statement("SELECT checkpoint_id FROM erasure WHERE session_id = ?").all(session.id);
    return factsOf(session, {
      tombstones: (pending as { checkpoint_id: CheckpointId }[]).map((row) => row.checkpoint_id),
      erasing: (erasing as { checkpoint_id: CheckpointId }[]).map((row) => row.checkpoint_id),
      trash: trashOf(this.#connection, session.id as SessionId),
      shields: shieldsOf(this.#connection, session.id as SessionId),
    });
  }

  /** Session of a directory. Most directories have the session id as their name; for the others all sessions are compared. */
  #sessionIn(directoryName: string): SessionRow | undefined {
    const named = this.#rows.session(directoryName);
    if (named !== undefined) return named;
    const id = this.#rows.sessionIds().find((each) => fileNameOf(each) === directoryName);
    return id === undefined ? undefined : this.#rows.session(id);
  }

  #trashed(id: CheckpointId): CheckpointRow | undefined {
    const row = this.#statement("SELECT * FROM trashed WHERE id = ?").get(id);
    return row === undefined ? undefined : trashedRowOf(row as TrashedRow);
  }

  /** Returns how many rows it changed. */
  #run(sql: string, ...parameters: readonly SqliteValue[]): number {
    return Number(this.#statement(sql).run(...parameters).changes);
  }

  #statement(sql: string): SqliteStatement {
    return this.#connection.statement(sql);
  }
}

function isKeptAs(row: CheckpointRow, { blob, blobBytes, baseId, keyId, damaged }: CheckpointRecord): boolean {
  const isSameForm = row.blob_bytes === blobBytes && row.base_id === baseId && row.key_id === keyId;
  return isSameForm && row.blob === blob && (row.damaged === 1) === damaged;
}

/** Oldest checkpoints that may be pruned, as many as exceed the limit. */
const OLDEST = `SELECT * FROM checkpoint WHERE session_id = +? AND kind = 'workflow' AND id <> ?
    AND NOT EXISTS (SELECT 1 FROM checkpoint_tag WHERE ordinal = checkpoint.ordinal AND tag = '${KEEP_TAG}')
    AND coalesce(shielded_until, 0) <= +?
  ORDER BY sequence LIMIT max(0, (SELECT count(*) FROM checkpoint WHERE session_id = ? AND kind = 'workflow') - ?)`;

/** Prefix of the keys in `state` that hold removals; the holder's name follows. */
const HOLD = "hold:";
const ACTIVE_HOLD = "SELECT 1 FROM state WHERE key >= 'hold:' AND key < 'hold;' AND value > ?";

const OLDEST_ID = "SELECT id FROM checkpoint WHERE session_id = +? AND kind = 'workflow' ORDER BY sequence LIMIT 1";

/** Deletes the edges of a removed blob to its bases, unless its checkpoint still exists. A base belongs to the same session. */
const DELETE_EDGES_OF = `WITH gone AS (SELECT checkpoint_id, session_id FROM pending_removal WHERE blob = ?)
  DELETE FROM edge WHERE dependent = (SELECT checkpoint_id FROM gone)
  AND base IN (
    SELECT id FROM checkpoint WHERE session_id = (SELECT session_id FROM gone)
    UNION ALL SELECT id FROM trashed WHERE session_id = (SELECT session_id FROM gone)
    UNION ALL SELECT checkpoint_id FROM pending_removal WHERE session_id = (SELECT session_id FROM gone))
  AND NOT EXISTS (SELECT 1 FROM checkpoint WHERE id = dependent) AND NOT EXISTS (SELECT 1 FROM trashed WHERE id = dependent)`;

/** A blob is needed by its record, or, when the checkpoint is removed, by another blob that is encoded against it. */
const NEEDS_BLOB = `SELECT 1 WHERE EXISTS (SELECT 1 FROM checkpoint WHERE blob = ?) OR EXISTS (SELECT 1 FROM trashed WHERE blob = ?)
  OR EXISTS (SELECT 1 FROM pending_removal JOIN edge ON edge.base = pending_removal.checkpoint_id WHERE blob = ?)`;

/** Pending removals that no blob needs. No record needs them either: `append` deletes the pending removal of its blob. */
const NEEDLESS = `SELECT blob FROM pending_removal WHERE is_done = 0
  AND NOT EXISTS (SELECT 1 FROM edge WHERE edge.base = pending_removal.checkpoint_id) LIMIT ?`;

/** Columns with texts of people and agents, or with values derived from them. */
const TEXT_COLUMNS = [
  "agent_id",
  "workflow_id",
  "project",
  "name",
  "tags",
  "attributes",
  "exact_digest",
  "canonical_digest",
  "folded",
  "folded_name",
] as const;

/** Text columns of a record that replaces the row's record. */
function textsOf(row: CheckpointRow, record: NewRecord): Pick<CheckpointRow, (typeof TEXT_COLUMNS)[number]> {
  const fresh = rowOf(record, row.ordinal, row.sequence);
  return Object.fromEntries(TEXT_COLUMNS.map((column) => [column, fresh[column]])) as Pick<CheckpointRow, (typeof TEXT_COLUMNS)[number]>;
}

/** Sums of a session after one checkpoint is added or removed. */
function weighing(session: SessionRow, sign: 1 | -1, { kind, blob_bytes: bytes }: Pick<CheckpointRow, "kind" | "blob_bytes">): Sums {
  return {
    checkpoint_count: session.checkpoint_count + sign,
    total_bytes: session.total_bytes + sign * bytes,
    aside_count: session.aside_count + (kind === "aside" ? sign : 0),
  };
}

/** An ordinal is never reused: a checkpoint in the trash may come back with its own. */
const NEXT_ORDINAL = `SELECT 1 + max(coalesce((SELECT max(ordinal) FROM checkpoint), 0),
  coalesce((SELECT value FROM state WHERE key = 'last_ordinal'), 0)) AS ordinal`;
