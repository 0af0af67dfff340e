import { parseJson } from "../json/parse-json.ts";
import { auditCheck, changePage } from "../audit/audit-reads.ts";
import { rechain } from "../audit/rechain.ts";
import type { AuditAction, AuditDigest, AuditEvent, LoggedEvent } from "../model/audit.ts";
import type { CheckpointRecord, NewRecord } from "../model/checkpoint.ts";
import type { JsonObject } from "../model/context.ts";
import type { BlobRef, CheckpointId, PageCursor, SessionId } from "../model/ids.ts";
import { KEEP_TAG, type Session, type SessionFacts, type Shield } from "../model/session.ts";
import type {
  Append,
  AuditCheck,
  AuditCut,
  AuditQuery,
  AuditWalk,
  ChangePage,
  ChangeQuery,
  CatalogChange,
  CheckpointPage,
  CheckpointQuery,
  CommitOutcome,
  Discrepancies,
  Edge,
  Erasure,
  Forgetting,
  Move,
  QuotaUsage,
  Rewriting,
  SessionPage,
  SessionQuery,
  StoredForm,
  StoreUsage,
  TrashPage,
  TrashQuery,
} from "../ports/catalog.ts";
import { actionOfMove } from "./action-of-move.ts";
import { asidesToRemove, isShielded } from "./asides.ts";
import { AuditTrail } from "./audit-trail.ts";
import { type CatalogEntries, entriesFromJson, rewriteEntries } from "./catalog-entries.ts";
import { exceededQuota } from "./exceeded-quota.ts";
import { matchesFilter } from "./matches-filter.ts";
import { parsePlaceCursor, parseTimedCursor, placeCursor, timedCursor } from "./page-cursor.ts";
import { type Erasing, type Removed, type Row, SessionState, type TrashedRow } from "./session-state.ts";
import { Table } from "./table.ts";

type Refusal = Exclude<CommitOutcome, { status: "committed" }>;

/**
 * State of a catalog in memory, with all of its rules in their simplest form. An adapter that keeps its catalog in memory
 * adds the order of calls and, to be durable, a way to write the state down.
 *
 * All methods are synchronous. Records are replaced and never changed, but they are not copied: the adapter copies inputs
 * and outputs wherever a caller could change them.
 */
export class CatalogState {
  /** Live checkpoints in the order of their commits. */
  readonly #rows = new Table<CheckpointId, Row>(blobBytesOf);
  readonly #trash = new Table<CheckpointId, TrashedRow>(blobBytesOf);
  readonly #sessions = new Table<SessionId, SessionState>();
  readonly #edges = new Table<string, Edge>();
  readonly #removed = new Table<CheckpointId, Removed>();
  readonly #holds = new Table<string, Date>();
  readonly #erasures = new Table<CheckpointId, Erasing>();
  /** Sessions whose facts outside of the catalog must be written again. */
  readonly #changed = new Set<SessionId>();
  /** Sessions whose facts outside of the catalog must be removed. */
  readonly #forgotten = new Set<SessionId>();
  readonly #audit = new AuditTrail();
  #lastCommit = 0;

  /** True when nothing was ever written to the state. */
  get isPristine(): boolean {
    return this.#lastCommit === 0 && this.audit.length === 0;
  }

  /** The audit log, oldest first. */
  get audit(): readonly LoggedEvent[] {
    return this.#audit.rows;
  }

  /** Checks the conditions of a change and applies it. Changes nothing unless the outcome is `committed`. `digest` chains audit rows. */
  apply(change: CatalogChange, hasBlob: (ref: BlobRef) => boolean, digest: AuditDigest): CommitOutcome {
    const { append, move, erased = [], forget, pins, tags, edges, shields = [], accesses = [] } = change;
    const refusal = append === undefined ? undefined : this.#refuse(append, hasBlob);
    if (refusal !== undefined) return refusal;
    this.#audit.add(...change.audit);
    const appended = append === undefined ? undefined : this.#append(append);
    const removed = append === undefined ? [] : this.#makeRoom(append);
    const moved = move === undefined ? [] : this.#move(move);
    for (const id of erased) this.#endErasure(id);
    const forgotten = forget === undefined ? [] : this.#forget(forget);
    if (pins !== undefined) this.#relabel(pins.sessionId, "pins", pins.pin, pins.release);
    if (tags !== undefined) this.#relabel(tags.sessionId, "tags", tags.add, tags.remove);
    for (const edge of edges?.add ?? []) if (this.#isKnown(edge.dependent)) this.#edges.set(keyOf(edge), edge);
    for (const edge of edges?.drop ?? []) this.#edges.delete(keyOf(edge));
    for (const { checkpointId, at } of accesses) this.#touch(checkpointId, at);
    const shielded = this.#shield(shields);
    this.#audit.link(digest);
    const bytes = append?.quota === undefined ? undefined : this.#bytesWith(append.record.sessionId);
    return { status: "committed", record: appended?.record, removed, shielded, moved, forgotten, bytes };
  }

  find(id: CheckpointId): CheckpointRecord | undefined {
    return this.#rows.get(id)?.record;
  }

  head(session: SessionId): CheckpointRecord | undefined {
    return this.#sessions.get(session)?.head;
  }

  /** @throws INVALID_INPUT when `after` is no cursor. */
  list({ filter, limit, offset, after }: CheckpointQuery): CheckpointPage {
    const rows = filter.sessionId === undefined ? this.#rows.values() : (this.#sessions.get(filter.sessionId)?.rows ?? []);
    const tagsOf = (id: SessionId): readonly string[] => this.#sessions.get(id)?.tags ?? [];
    const isWanted = (record: CheckpointRecord): boolean => filter.headsOnly !== true || this.head(record.sessionId)?.id === record.id;
    const matching = rows.filter(({ record }) => matchesFilter(record, tagsOf(record.sessionId), filter) && isWanted(record)).toReversed();
    const from = after === undefined ? Number.POSITIVE_INFINITY : parsePlaceCursor(after);
    const rest = matching.filter((row) => placeOf(row, filter.sessionId) < from).slice(offset);
    const page = rest.slice(0, limit);
    const last = page.at(-1);
    const next = last === undefined || page.length === rest.length ? undefined : placeCursor(placeOf(last, filter.sessionId));
    return { records: page.map(({ record }) => record), total: matching.length, next };
  }

  session(id: SessionId): Session | undefined {
    return this.#sessions.get(id)?.toSession();
  }

  /** @throws INVALID_INPUT when `after` is no cursor. */
  sessions({ project, unusedSince, empty = false, limit, after }: SessionQuery): SessionPage {
    const matching = this.#sessions
      .values()
      .filter((session) => (empty ? this.#isForgettable(session) : session.rows.length > 0))
      .filter((session) => unusedSince === undefined || session.lastAccessedAt <= unusedSince)
      .filter((session) => project === undefined || session.rows.some(({ record }) => record.project === project));
    const { page, next } = cut(matching, (session) => [session.lastAccessedAt, session.id], { limit, after });
    return { sessions: page.map((session) => session.toSession()), next };
  }

  /** @throws INVALID_INPUT when `after` is no cursor. */
  trash({ sessionId, checkpointId, limit, after }: TrashQuery): TrashPage {
    const isWanted = ({ record }: TrashedRow): boolean => {
      return (sessionId === undefined || record.sessionId === sessionId) && (checkpointId === undefined || record.id === checkpointId);
    };
    const matching = this.#trash.values().filter(isWanted);
    const { page, next } = cut(matching, ({ record, trashedAt }) => [trashedAt, record.id], { limit, after });
    return { entries: page.map(({ record, trashedAt }) => ({ record, trashedAt })), next };
  }

  usage(): StoreUsage {
    const live = this.#rows.values().map(({ record }) => record);
    return {
      sessions: this.#sessions.values().filter(({ rows }) => rows.length > 0).length,
      checkpoints: live.length,
      damaged: live.filter(({ damaged }) => damaged).length,
      liveBytes: this.#rows.weight,
      trashed: this.#trash.size,
      trashBytes: this.#trash.weight,
      ...this.#waiting(),
    };
  }

  auditLog(query: AuditQuery): readonly LoggedEvent[] {
    return this.#audit.query(query);
  }

  checkAudit(walk: AuditWalk, digest: AuditDigest): Omit<AuditCheck, "isKeyed" | "noted"> {
    return auditCheck((query) => this.#audit.query(query), walk, digest);
  }

  cutAudit(cut: AuditCut, digest: AuditDigest): number {
    return this.#audit.cut(cut, digest);
  }

  changes(query: ChangeQuery): ChangePage | undefined {
    return changePage((rows) => this.#audit.query(rows), query);
  }

  /** True when a checkpoint, live or in the trash, is still as expected, and its new base is live and not damaged. */
  canChangeForm(expected: CheckpointRecord, { baseId }: StoredForm): boolean {
    const isExpected = this.isAsExpected(expected) || isKeptAs(this.#trash.get(expected.id)?.record, expected);
    return isExpected && (baseId === null || this.find(baseId)?.damaged === false);
  }

  /** Records the new stored form of a checkpoint, live or in the trash. Does nothing unless it is still as expected. */
  changeForm(expected: CheckpointRecord, { blobBytes, baseId, keyId }: StoredForm): void {
    const becomes = { blobBytes, baseId, keyId, damaged: false };
    if (this.isAsExpected(expected)) this.#replace(expected.id, becomes);
    const trashed = this.#trash.get(expected.id);
    if (trashed === undefined || !isKeptAs(trashed.record, expected)) return;
    trashed.record = { ...trashed.record, ...becomes };
    this.#trash.touch(expected.id);
  }

  /** Marks a checkpoint as damaged. Does nothing unless it is still as expected. */
  markDamaged(expected: CheckpointRecord, audit: AuditEvent, digest: AuditDigest): void {
    if (!this.isAsExpected(expected)) return;
    this.#replace(expected.id, { damaged: true });
    this.#audit.add(audit);
    this.#audit.link(digest);
  }

  /** True when a checkpoint is live and its stored form is the one that the caller expects. */
  isAsExpected(expected: CheckpointRecord): boolean {
    return isKeptAs(this.find(expected.id), expected);
  }

  /** Finds missing edges, and adds them with `repair`. Sums are computed on request and cannot be wrong. */
  reconcile(repair: boolean): Discrepancies {
    const edges: Edge[] = [];
    for (const { record } of [...this.#rows.values(), ...this.#trash.values()]) {
      if (record.baseId === null) continue;
      const edge = { dependent: record.id, base: record.baseId };
      if (!this.#edges.has(keyOf(edge))) edges.push(edge);
    }
    if (repair) for (const edge of edges) this.#edges.set(keyOf(edge), edge);
    return { sums: [], edges };
  }

  /** Returns the blobs, of `refs` or of the pending removals, that nothing needs. None while removals are on hold. */
  needless(refs: readonly BlobRef[] | undefined, now: Date): readonly BlobRef[] {
    for (const [holder, until] of this.#holds.entries()) if (until <= now) this.#holds.delete(holder);
    if (this.#holds.size > 0) return [];
    const pending = this.#removed
      .values()
      .filter(({ isDone }) => !isDone)
      .map(({ blob }) => blob);
    const needed = this.#neededRefs();
    return [...new Set(refs ?? pending)].filter((ref) => !needed.has(ref));
  }

  /** Notes that a blob is gone and deletes its edges, so that its bases can be removed too. */
  reclaimed(ref: BlobRef): void {
    for (const [id, removed] of this.#removed.entries()) {
      if (removed.blob !== ref) continue;
      this.#removed.set(id, { ...removed, isDone: true });
      if (this.#isKnown(id)) continue;
      for (const [key, { dependent }] of this.#edges.entries()) if (dependent === id) this.#edges.delete(key);
    }
  }

  isToBeErased(ref: BlobRef): boolean {
    return this.#erasures.values().some(({ blob }) => blob === ref);
  }

  erasures(): readonly Erasure[] {
    return this.#erasures.entries().map(([checkpointId, erasing]) => ({ checkpointId, ...erasing, edges: this.#edgesTo(checkpointId) }));
  }

  hold(holder: string, until: Date): void {
    this.#holds.set(holder, until);
  }

  release(holder: string): void {
    this.#holds.delete(holder);
  }

  /** Returns the facts of the sessions that changed since the last call. The caller must write them. */
  changedFacts(): readonly SessionFacts[] {
    const facts = [...this.#changed].map((sessionId) => {
      // The blob is gone, so its tombstone is no longer needed.
      this.#dropDone(sessionId);
      return this.factsOf(sessionId) as SessionFacts;
    });
    this.#changed.clear();
    return facts;
  }

  /** Returns the sessions that were forgotten since the last call. The caller must remove their facts. */
  takeForgotten(): readonly SessionId[] {
    const forgotten = [...this.#forgotten];
    this.#forgotten.clear();
    return forgotten;
  }

  /** Returns the facts of every session. */
  facts(): readonly SessionFacts[] {
    return this.#sessions.entries().map(([id]) => this.factsOf(id) as SessionFacts);
  }

  /** Returns the refs of unknown blobs, which no record and no removal names. */
  strays(refs: readonly BlobRef[]): readonly BlobRef[] {
    const known = new Set([...this.#rows.values(), ...this.#trash.values()].map(({ record }) => record.blob));
    for (const { blob } of this.#removed.values()) known.add(blob);
    return refs.filter((ref) => !known.has(ref));
  }

  factsOf(sessionId: SessionId): SessionFacts | undefined {
    const tombstones = this.#removed.entries().filter(([, removed]) => removed.sessionId === sessionId && !removed.isDone);
    const erasing = this.#erasures.entries().filter(([, each]) => each.sessionId === sessionId);
    const trashed = this.#trash.values().filter(({ record }) => record.sessionId === sessionId);
    return this.#sessions
      .get(sessionId)
      ?.toFacts({ tombstones: tombstones.map(([id]) => id), erasing: erasing.map(([id]) => id), trashed });
  }

  /** Returns the whole state as entries, from which `from` makes the same state. */
  entries(): CatalogEntries {
    return {
      lastCommit: this.#lastCommit,
      checkpoints: this.#rows.entries(),
      trash: this.#trash.entries(),
      sessions: this.#sessions.entries().map(([id, session]) => [id, session.toEntry()]),
      edges: this.#edges.entries(),
      removals: this.#removed.entries(),
      holds: this.#holds.entries(),
      erasures: this.#erasures.entries(),
      audit: this.audit,
    };
  }

  /** Returns the state after a rewriting. `digest` is the catalog's own digest, without a key. */
  rewritten(rewriting: Rewriting, digest: AuditDigest): CatalogState {
    const entries = rewriteEntries(this.entries(), rewriting);
    return CatalogState.from([{ ...entries, audit: rechain(this.audit, rewriting, digest) }]);
  }

  /** Returns the whole state as JSON text, from which `fromJson` makes the same state. */
  toJson(): string {
    return JSON.stringify(this.entries());
  }

  /** Makes a state from the text of `toJson`. The text is not validated. */
  static fromJson(text: string): CatalogState {
    return CatalogState.from([entriesFromJson(parseJson(text) as JsonObject)]);
  }

  /** Returns the entries that changed since the last call; the first call returns all. Call `changedFacts` before. */
  takeChanges(): CatalogEntries {
    const { rows: audit, first: auditFrom } = this.#audit.takeNew();
    return {
      lastCommit: this.#lastCommit,
      checkpoints: this.#rows.takeChanges(),
      trash: this.#trash.takeChanges(),
      sessions: this.#sessions.takeChanges().map(([id, session]) => [id, session?.toEntry() ?? null]),
      edges: this.#edges.takeChanges(),
      removals: this.#removed.takeChanges(),
      holds: this.#holds.takeChanges(),
      erasures: this.#erasures.takeChanges(),
      audit,
      ...(auditFrom === undefined ? {} : { auditFrom }),
    };
  }

  /** Makes a state from entries. Later entries override earlier ones. */
  static from(all: Iterable<CatalogEntries>): CatalogState {
    const state = new CatalogState();
    for (const { lastCommit, checkpoints, trash, sessions, edges, removals, holds, erasures, audit, auditFrom } of all) {
      state.#lastCommit = lastCommit;
      state.#rows.put(checkpoints);
      state.#trash.put(trash);
      state.#sessions.put(sessions.map(([id, entry]) => [id, entry === null ? null : SessionState.from(id, entry)]));
      state.#edges.put(edges);
      state.#removed.put(removals);
      state.#holds.put(holds);
      state.#erasures.put(erasures);
      state.#audit.restore(audit, auditFrom);
    }
    state.#rows.sort((one, other) => one.commit - other.commit);
    for (const row of state.#rows.values()) state.#sessions.get(row.record.sessionId)?.rows.push(row);
    return state;
  }

  /** Fills an empty state. Tombstones become pending removals, to be reclaimed later. */
  fill({ records, sessions, audit }: Filling, { refOf, digest }: { readonly refOf: BlobRefOf; readonly digest: AuditDigest }): void {
    const trashedAt = new Map(sessions.flatMap(({ trash }) => trash.map(({ checkpointId, at }) => [checkpointId, at])));
    for (const { sessionId, createdAt, tags, pins, oldestLive } of sessions) {
      const session = new SessionState(sessionId, createdAt);
      this.#sessions.set(sessionId, Object.assign(session, { tags, pins, oldestLive }));
    }
    const tombstones = tombstonesOf(sessions);
    for (const record of records) {
      const edge = record.baseId === null ? undefined : { dependent: record.id, base: record.baseId };
      if (edge !== undefined) this.#edges.set(keyOf(edge), edge);
      if (tombstones.get(record.sessionId)?.has(record.id) === true) continue;
      const row = this.#add(record);
      const at = trashedAt.get(record.id);
      if (at === undefined) continue;
      this.#takeOut(row);
      this.#trash.set(record.id, { ...row, trashedAt: at });
    }
    for (const { sessionId, tombstones, erasing } of sessions) {
      const gone = (id: CheckpointId): boolean => !this.#isKnown(id);
      const blobOf = (checkpointId: CheckpointId): BlobRef => refOf({ sessionId, checkpointId });
      for (const id of tombstones.filter(gone)) this.#removed.set(id, { sessionId, blob: blobOf(id), isDone: false });
      for (const id of erasing.filter(gone)) this.#erasures.set(id, { sessionId, blob: blobOf(id) });
    }
    for (const { sessionId, shields } of sessions) this.#shieldAgain(sessionId, shields);
    for (const session of this.#sessions.values()) session.lastAccessedAt = audit.at;
    this.#audit.add(audit);
    this.#audit.link(digest);
  }

  /** Returns the reason to refuse an append; `undefined` when it may proceed. Changes nothing. */
  #refuse({ record, expectedHead, unlessHeadIs, asides, quota }: Append, hasBlob: (ref: BlobRef) => boolean): Refusal | undefined {
    const existing = this.find(record.id);
    if (existing !== undefined) return { status: "exists", record: existing };
    const trashed = this.#trash.get(record.id)?.record;
    if (trashed !== undefined) return { status: "in-trash", record: trashed };
    const head = this.head(record.sessionId);
    if (expectedHead !== undefined && (head?.id ?? null) !== expectedHead) return { status: "conflict", head };
    if (head !== undefined && head.canonicalDigest === unlessHeadIs) return { status: "unchanged", head };
    if (!hasBlob(record.blob)) return { status: "blob-missing" };
    if (asides !== undefined && asidesToRemove(this.#asidesIn(record.sessionId), record, asides) === undefined) {
      return { status: "asides-full" };
    }
    if (quota === undefined) return undefined;
    const bytes = this.#bytesWith(record.sessionId);
    const over = exceededQuota(bytes, record.blobBytes, quota);
    return over === undefined ? undefined : { status: "over-quota", over, bytes };
  }

  #append({ record, session: begins }: Append): Row {
    if (!this.#sessions.has(record.sessionId)) {
      this.#forgotten.delete(record.sessionId);
      const session = new SessionState(record.sessionId, begins?.createdAt ?? record.createdAt);
      this.#sessions.set(record.sessionId, Object.assign(session, { tags: begins?.tags ?? [], pins: begins?.pins ?? [] }));
      this.#changed.add(record.sessionId);
    }
    // A removed id is saved again: delete its tombstone and the pending removal of its blob.
    if (this.#removed.delete(record.id)) this.#changed.add(record.sessionId);
    if (this.#erasures.get(record.id)?.blob === record.blob) this.#endErasure(record.id);
    return this.#add(record);
  }

  /** Adds a record with the next sequence of its session. */
  #add(record: NewRecord): Row {
    const session = this.#sessions.get(record.sessionId) ?? new SessionState(record.sessionId, record.createdAt);
    this.#sessions.set(record.sessionId, session);
    session.lastSequence += 1;
    this.#lastCommit += 1;
    const fresh = { sequence: session.lastSequence, lastAccessedAt: record.createdAt, damaged: false, shieldedUntil: undefined };
    const row: Row = { commit: this.#lastCommit, record: { ...record, ...fresh } };
    session.rows.push(row);
    session.used(record.createdAt);
    this.#sessions.touch(session.id);
    this.#rows.set(record.id, row);
    return row;
  }

  /** Removes the checkpoints that exceed the limits after an append. */
  #makeRoom({ record: added, keepNewest, asides }: Append): readonly CheckpointRecord[] {
    const { id, sessionId, createdAt, agentId } = added;
    const session = this.#sessions.get(sessionId);
    const oldest = keepNewest === undefined ? [] : (session?.beyond(keepNewest, added) ?? []);
    const others = this.#asidesIn(sessionId).filter((each) => each.id !== id);
    const removed = [...oldest.map(({ record }) => record), ...(asides === undefined ? [] : (asidesToRemove(others, added, asides) ?? []))];
    for (const record of removed) {
      this.#takeOut(this.#rows.get(record.id) as Row);
      this.#expectRemoval(record);
      this.#log("prune", record, { at: createdAt, agentId });
    }
    if (removed.length > 0) session?.noteOldest();
    this.#sessions.touch(sessionId);
    return removed;
  }

  #asidesIn(sessionId: SessionId): readonly CheckpointRecord[] {
    return this.#sessions.get(sessionId)?.asides ?? [];
  }

  #shield(shields: readonly Shield[]): readonly CheckpointRecord[] {
    for (const { checkpointId, until } of shields) {
      const record = this.find(checkpointId);
      if (record === undefined || isShielded(record, until) || record.shieldedUntil?.getTime() === until.getTime()) continue;
      this.#replace(checkpointId, { shieldedUntil: until });
      this.#changed.add(record.sessionId);
    }
    const ids = new Set(shields.map(({ checkpointId }) => checkpointId));
    return [...ids].map((id) => this.find(id)).filter((record) => record !== undefined);
  }

  /** Restores shields, also in the trash. The same id may exist in another session. */
  #shieldAgain(sessionId: SessionId, shields: readonly Shield[]): void {
    for (const { checkpointId, until } of shields) {
      const row = this.#rows.get(checkpointId) ?? this.#trash.get(checkpointId);
      if (row?.record.sessionId === sessionId) row.record = { ...row.record, shieldedUntil: until };
    }
  }

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
    const session = this.#sessions.get(sessionId);
    if (session === undefined || (unlessUsedSince !== undefined && session.lastAccessedAt > unlessUsedSince)) return [];
    const there: Pick<Table<CheckpointId, Row>, "get"> = from === "live" ? this.#rows : this.#trash;
    const isGoing = (row: Row | undefined): row is Row => {
      return row?.record.sessionId === sessionId && !(sparesShielded && isShielded(row.record, at));
    };
    const rows = [...new Set(checkpoints)].map((id) => there.get(id)).filter(isGoing);
    const moved = rows.map(({ record }) => record);
    for (const row of rows) {
      if (from === "live") this.#takeOut(row);
      else this.#trash.delete(row.record.id);
      if (to === "trash") this.#trash.set(row.record.id, { ...row, trashedAt: at });
      else if (to === "live") this.#bringBack(session, row);
      else this.#expectRemoval(row.record);
      if (to === "nowhere" && erases) this.#erasures.set(row.record.id, { sessionId, blob: row.record.blob });
      this.#log(actionOfMove({ to }), row.record, { at, agentId, reason });
    }
    if (rows.length === 0) return [];
    this.#changed.add(sessionId);
    session.noteOldest();
    this.#sessions.touch(sessionId);
    return moved;
  }

  #forget({ sessions, unusedSince, at }: Forgetting): readonly SessionId[] {
    const empty = [...new Set(sessions)].filter((id) => {
      const session = this.#sessions.get(id);
      return session !== undefined && session.lastAccessedAt <= unusedSince && this.#isForgettable(session);
    });
    for (const sessionId of empty) {
      this.#dropDone(sessionId);
      this.#sessions.delete(sessionId);
      this.#changed.delete(sessionId);
      this.#forgotten.add(sessionId);
      this.#audit.add({ at, action: "delete", sessionId, checkpointId: undefined, agentId: undefined, reason: "empty" });
    }
    return empty;
  }

  /** True when nothing of a session is left and it has no keep tag. */
  #isForgettable({ id, rows, tags }: SessionState): boolean {
    if (rows.length > 0 || tags.includes(KEEP_TAG)) return false;
    const isPending = this.#removed.values().some(({ sessionId, isDone }) => sessionId === id && !isDone);
    return !isPending && !this.#trash.values().some(({ record }) => record.sessionId === id);
  }

  /** Drops the removals of a session whose blobs are gone. The session's facts then have no tombstones for them. */
  #dropDone(sessionId: SessionId): void {
    for (const [id, removed] of this.#removed.entries()) if (removed.sessionId === sessionId && removed.isDone) this.#removed.delete(id);
  }

  #waiting(): Pick<StoreUsage, "pendingRemovals" | "neededRemovals" | "removalsHeldUntil"> {
    const pending = this.#removed.entries().filter(([, { isDone }]) => !isDone);
    const bases = new Set(this.#edges.values().map(({ base }) => base));
    const now = new Date();
    const ends = this.#holds.values().filter((until) => until > now);
    return {
      pendingRemovals: pending.length,
      neededRemovals: pending.filter(([id]) => bases.has(id)).length,
      removalsHeldUntil: ends.toSorted((one, other) => other.getTime() - one.getTime())[0],
    };
  }

  #takeOut(row: Row): void {
    this.#rows.delete(row.record.id);
    this.#sessions.get(row.record.sessionId)?.remove(row);
  }

  /** Restores a row at its old place in its session and in the order of commits, which the table follows. */
  #bringBack(session: SessionState, { commit, record }: Row): void {
    const row: Row = { commit, record };
    session.insert(row);
    this.#rows.set(record.id, row);
    this.#rows.sort((one, other) => one.commit - other.commit);
  }

  #endErasure(id: CheckpointId): void {
    const { sessionId } = this.#erasures.get(id) ?? {};
    this.#erasures.delete(id);
    if (sessionId !== undefined && this.#sessions.has(sessionId)) this.#changed.add(sessionId);
  }

  #expectRemoval({ id, sessionId, blob }: CheckpointRecord): void {
    this.#removed.set(id, { sessionId, blob, isDone: false });
    this.#changed.add(sessionId);
  }

  #relabel(sessionId: SessionId, labels: "pins" | "tags", add: readonly string[], remove: readonly string[]): void {
    const session = this.#sessions.get(sessionId);
    if (session === undefined) return;
    session[labels] = [...new Set([...session[labels], ...add])].filter((label) => !remove.includes(label));
    this.#changed.add(sessionId);
    this.#sessions.touch(sessionId);
  }

  #touch(id: CheckpointId, at: Date): void {
    const record = this.find(id);
    if (record === undefined) return;
    if (at > record.lastAccessedAt) this.#replace(id, { lastAccessedAt: at });
    this.#sessions.get(record.sessionId)?.used(at);
    this.#sessions.touch(record.sessionId);
  }

  #log(action: AuditAction, record: CheckpointRecord, more: Pick<AuditEvent, "at" | "agentId" | "reason">): void {
    this.#audit.add({ action, sessionId: record.sessionId, checkpointId: record.id, ...more });
  }

  #replace(id: CheckpointId, changed: Partial<CheckpointRecord>): void {
    const row = this.#rows.get(id);
    if (row === undefined) return;
    row.record = { ...row.record, ...changed };
    this.#rows.touch(id);
  }

  #isKnown(id: CheckpointId): boolean {
    return this.#rows.has(id) || this.#trash.has(id);
  }

  /** Returns the edges of known checkpoints that may be encoded against a removed one, directly or through other removed ones. */
  #edgesTo(id: CheckpointId): readonly Edge[] {
    const gone = new Set([id]);
    const found: Edge[] = [];
    // The loop also visits ids that are added meanwhile.
    for (const base of gone) {
      for (const edge of this.#edges.values().filter((each) => each.base === base)) {
        if (this.#isKnown(edge.dependent)) found.push(edge);
        else gone.add(edge.dependent);
      }
    }
    return found;
  }

  /** Returns the needed blobs: those of records, and those of removed checkpoints that other blobs are encoded against. */
  #neededRefs(): ReadonlySet<BlobRef | undefined> {
    const kept = [...this.#rows.values(), ...this.#trash.values()].map(({ record }) => record.blob);
    const bases = this.#edges.values().map(({ base }) => this.#removed.get(base)?.blob);
    return new Set([...kept, ...bases]);
  }

  #bytesWith(sessionId: SessionId): QuotaUsage {
    return { session: this.#sessions.get(sessionId)?.bytes ?? 0, store: this.#rows.weight + this.#trash.weight };
  }
}

/** Returns the removed ids of each session. The same id may exist in another session. */
export function tombstonesOf(sessions: readonly SessionFacts[]): ReadonlyMap<SessionId, ReadonlySet<CheckpointId>> {
  return new Map(sessions.map(({ sessionId, tombstones }) => [sessionId, new Set(tombstones)]));
}

/** Fields of a checkpoint's stored form and its place. */
const FORM = ["blob", "blobBytes", "baseId", "keyId", "damaged"] as const;

/** Remains of a lost catalog, and the audit row of the rebuild. */
interface Filling {
  readonly records: readonly NewRecord[];
  readonly sessions: readonly SessionFacts[];
  readonly audit: AuditEvent;
}

function isKeptAs(record: CheckpointRecord | undefined, expected: CheckpointRecord): boolean {
  return record !== undefined && FORM.every((field) => record[field] === expected[field]);
}

type BlobRefOf = (key: { readonly sessionId: SessionId; readonly checkpointId: CheckpointId }) => BlobRef;

function keyOf({ dependent, base }: Edge): string {
  return `${dependent} ${base}`;
}

/** Returns the place of a row: its sequence within a session, otherwise its commit. Both give the same order. */
function placeOf(row: Row, sessionId: SessionId | undefined): number {
  return sessionId === undefined ? row.commit : row.record.sequence;
}

function blobBytesOf({ record }: Row): number {
  return record.blobBytes;
}

/** Returns one page ordered by time, then id. A cursor stays valid when earlier items are removed. */
function cut<T>(
  all: readonly T[],
  placeIn: (each: T) => readonly [at: Date, id: string],
  { limit, after }: { readonly limit: number; readonly after?: PageCursor | undefined },
): { page: readonly T[]; next: PageCursor | undefined } {
  const from = after === undefined ? undefined : parseTimedCursor(after);
  const places = all.map((each) => ({ each, place: placeIn(each) }));
  const rest = places.filter(({ place }) => from === undefined || isBefore(from, place));
  rest.sort((one, other) => (isBefore(one.place, other.place) ? -1 : 1));
  const page = rest.slice(0, limit);
  const last = page.at(-1)?.place;
  const isLast = last === undefined || page.length === rest.length;
  return { page: page.map(({ each }) => each), next: isLast ? undefined : timedCursor(...last) };
}

function isBefore([at, id]: readonly [Date, string], [otherAt, otherId]: readonly [Date, string]): boolean {
  return at.getTime() === otherAt.getTime() ? id < otherId : at < otherAt;
}
