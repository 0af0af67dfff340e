import type { AuditEvent } from "../src/model/audit.ts";
import type { CheckpointRecord, NewRecord } from "../src/model/checkpoint.ts";
import type { BlobRef, CheckpointId, SessionId } from "../src/model/ids.ts";
import type { SessionFacts } from "../src/model/session.ts";
import type { Append, CommitOutcome } from "../src/catalog/rules/append.ts";
import type { CatalogChange } from "../src/catalog/rules/commit.ts";
import type { Edge } from "../src/catalog/rows.ts";
import type { Forgetting } from "../src/catalog/rules/forget.ts";
import type { Emptied } from "../src/catalog/rules/reclaim-and-forget.ts";
import type { Move } from "../src/catalog/rules/move.ts";
import type { StoredForm } from "../src/catalog/rules/change-form.ts";

interface Kept {
  record: CheckpointRecord;
  trashedAt: Date | undefined;
}

/** Data of a session without its checkpoints. */
export interface Labels {
  createdAt: Date;
  lastAccessedAt: Date;
  tags: readonly string[];
  pins: readonly string[];
  oldestLive: CheckpointId | null;
  lastSequence: number;
}

interface RemovedBlob {
  readonly blob: BlobRef;
  readonly checkpointId: CheckpointId;
  readonly sessionId: SessionId;
}

/**
 * The rules of a catalog in their most literal form, to compare the real ones with: lists that are searched from one end to the other.
 * Every blob exists.
 */
export class NaiveCatalog {
  /** In the order of their commits. */
  kept: Kept[] = [];
  sessions: Map<SessionId, Labels> = new Map();
  edges: Edge[] = [];
  removals: (RemovedBlob & { isDone: boolean })[] = [];
  erasures: RemovedBlob[] = [];
  holds: Map<string, Date> = new Map();
  /** Session facts outside of the catalog. */
  facts: Map<SessionId, SessionFacts> = new Map();
  audit: AuditEvent[] = [];
  readonly #touched = new Set<SessionId>();

  live(sessionId?: SessionId): readonly CheckpointRecord[] {
    const rows = this.kept.filter(({ trashedAt }) => trashedAt === undefined).map(({ record }) => record);
    return rows.filter((record) => sessionId === undefined || record.sessionId === sessionId);
  }

  find(id: CheckpointId): CheckpointRecord | undefined {
    return this.live().find((record) => record.id === id);
  }

  head(sessionId: SessionId): CheckpointRecord | undefined {
    return this.live(sessionId)
      .filter(({ kind, damaged }) => kind !== "aside" && !damaged)
      .toSorted((one, other) => other.sequence - one.sequence)[0];
  }

  commit({ append, move, erased = [], forget, pins, tags, edges, accesses = [], shields = [], audit }: CatalogChange): CommitOutcome {
    const outcome = append === undefined ? NOTHING_APPENDED : this.#append(append);
    if (outcome.status !== "committed") return outcome;
    const moved = move === undefined ? [] : this.#move(move);
    for (const id of erased) this.#endErasures((row) => row.checkpointId === id);
    const forgotten = forget === undefined ? [] : this.#forget(forget);
    if (pins !== undefined) this.#relabel(pins.sessionId, (labels) => (labels.pins = union(labels.pins, pins.pin, pins.release)));
    if (tags !== undefined) this.#relabel(tags.sessionId, (labels) => (labels.tags = union(labels.tags, tags.add, tags.remove)));
    for (const edge of edges?.add ?? []) if (this.#isKnown(edge.dependent)) this.#addEdge(edge);
    for (const edge of edges?.drop ?? []) this.edges = this.edges.filter((each) => !isSame(each, edge));
    for (const { checkpointId, at } of accesses) this.#touch(checkpointId, at);
    for (const { checkpointId, until } of shields) this.#shield(checkpointId, until);
    this.audit.push(...audit);
    this.#writeFacts();
    const shielded = [...new Set(shields.map(({ checkpointId }) => checkpointId))].map((id) => this.find(id));
    const record = append === undefined ? undefined : this.find(append.record.id);
    return { ...outcome, record, moved, forgotten, shielded: shielded.filter((each) => each !== undefined) };
  }

  /** Answers `false` and changes nothing when the form is not as expected. */
  changeForm(expected: CheckpointRecord, becomes: StoredForm): boolean {
    const row = this.kept.find(({ record }) => record.id === expected.id);
    const isExpected = row !== undefined && FORM.every((field) => row.record[field] === expected[field]);
    const { baseId } = becomes;
    if (!isExpected || (baseId !== null && this.find(baseId)?.damaged !== false)) return false;
    row.record = { ...row.record, ...becomes, damaged: false };
    return true;
  }

  markDamaged({ id }: CheckpointRecord, audit: AuditEvent): void {
    for (const row of this.kept) if (row.record.id === id) row.record = { ...row.record, damaged: true };
    this.audit.push(audit);
  }

  /** Removes blobs one by one until none is needless. Returns `erase` or `remove` with each ref. */
  reclaim(refs: readonly BlobRef[] | undefined, now: Date): readonly string[] {
    for (const [holder, until] of this.holds) if (until <= now) this.holds.delete(holder);
    const told: string[] = [];
    const left = new Set(refs ?? this.removals.filter(({ isDone }) => !isDone).map(({ blob }) => blob));
    for (;;) {
      const ref = this.holds.size > 0 ? undefined : [...left].find((each) => !this.#isNeeded(each));
      if (ref === undefined) return told.toSorted();
      left.delete(ref);
      told.push(`${this.erasures.some(({ blob }) => blob === ref) ? "erase" : "remove"} ${ref}`);
      for (const row of this.removals.filter(({ blob }) => blob === ref)) {
        row.isDone = true;
        if (!this.#isKnown(row.checkpointId)) this.edges = this.edges.filter(({ dependent }) => dependent !== row.checkpointId);
      }
    }
  }

  /** Removes pending removals, and forgets sessions that had one and become empty. */
  reclaimAndForget({ sessions, at }: Emptied, now: Date): readonly string[] {
    const pending = new Set(this.removals.filter(({ isDone }) => !isDone).map(({ sessionId }) => sessionId));
    const told = this.reclaim(undefined, now);
    if (told.length > 0) this.#forget({ sessions: [...pending].filter((id) => sessions.has(id)), at });
    return told;
  }

  /** Adds the edges that records name. Returns those that were missing. */
  missingEdges(repair: boolean): readonly Edge[] {
    const named = this.kept.flatMap(({ record: { id, baseId } }) => (baseId === null ? [] : [{ dependent: id, base: baseId }]));
    const missing = named.filter((edge) => !this.edges.some((each) => isSame(each, edge)));
    if (repair) this.edges.push(...missing);
    return missing;
  }

  /** Begins anew with what survives the loss of the catalog. */
  static rebuilt(records: readonly NewRecord[], sessions: readonly SessionFacts[], audit: AuditEvent): NaiveCatalog {
    const catalog = new NaiveCatalog();
    catalog.facts = new Map(sessions.map((facts) => [facts.sessionId, facts]));
    for (const { sessionId, createdAt, tags, pins, oldestLive } of sessions) {
      catalog.sessions.set(sessionId, { createdAt, lastAccessedAt: audit.at, tags, pins, oldestLive, lastSequence: 0 });
    }
    for (const record of records) {
      const { id, baseId, createdAt } = record;
      const facts = catalog.facts.get(record.sessionId);
      if (baseId !== null) catalog.#addEdge({ dependent: id, base: baseId });
      if (facts?.tombstones.includes(id) === true) continue;
      const sequence = catalog.#nextSequence(record.sessionId);
      const shieldedUntil = facts?.shields.find(({ checkpointId }) => checkpointId === id)?.until;
      const trashedAt = facts?.trash.find(({ checkpointId }) => checkpointId === id)?.at;
      catalog.kept.push({ record: { ...record, sequence, lastAccessedAt: createdAt, damaged: false, shieldedUntil }, trashedAt });
    }
    for (const { sessionId, tombstones, erasing } of sessions) {
      const gone = (checkpointId: CheckpointId): RemovedBlob => ({ blob: `blob-${checkpointId}` as BlobRef, checkpointId, sessionId });
      const unknown = (id: CheckpointId): boolean => !catalog.#isKnown(id);
      catalog.removals.push(...tombstones.filter(unknown).map((id) => ({ ...gone(id), isDone: false })));
      catalog.erasures.push(...erasing.filter(unknown).map(gone));
    }
    catalog.audit.push(audit);
    return catalog;
  }

  #append({ record: added, expectedHead, unlessHeadIs, keepNewest, asides, quota, session: begins }: Append): CommitOutcome {
    const { id, sessionId, createdAt: at, blob, agentId } = added;
    const existing = this.kept.find(({ record }) => record.id === id);
    if (existing !== undefined) return { status: existing.trashedAt === undefined ? "exists" : "in-trash", record: existing.record };
    const head = this.head(sessionId);
    if (expectedHead !== undefined && (head?.id ?? null) !== expectedHead) return { status: "conflict", head };
    if (head !== undefined && head.canonicalDigest === unlessHeadIs) return { status: "unchanged", head };
    const going = asides === undefined ? [] : this.#asidesGoing(added, asides);
    if (going === undefined) return { status: "asides-full" };
    const bytes = this.#bytes(sessionId);
    for (const over of ["session", "store"] as const) {
      if (quota !== undefined && bytes[over] + added.blobBytes > quota[over]) return { status: "over-quota", over, bytes };
    }
    if (!this.sessions.has(sessionId)) {
      const { createdAt = at, tags = [], pins = [] } = begins ?? {};
      this.sessions.set(sessionId, { createdAt, lastAccessedAt: at, tags, pins, oldestLive: null, lastSequence: 0 });
      this.#touched.add(sessionId);
    }
    if (this.removals.some((row) => row.blob === blob)) this.#touched.add(sessionId);
    this.removals = this.removals.filter((row) => row.blob !== blob);
    this.#endErasures((row) => row.blob === blob);
    const sequence = this.#nextSequence(sessionId);
    const record = { ...added, sequence, lastAccessedAt: at, damaged: false, shieldedUntil: undefined };
    this.kept.push({ record, trashedAt: undefined });
    this.#used(sessionId, at);
    const removed = [...(keepNewest === undefined ? [] : this.#pruned(record, keepNewest)), ...going];
    this.#remove(removed);
    this.audit.push(...removed.map((each) => ({ at, action: "prune" as const, sessionId, checkpointId: each.id, agentId })));
    if (removed.length > 0) this.#noteOldest(sessionId);
    return {
      status: "committed",
      record,
      removed,
      shielded: [],
      moved: [],
      forgotten: [],
      bytes: quota === undefined ? undefined : this.#bytes(sessionId),
    };
  }

  /** Returns the oldest workflow checkpoints beyond the limit that are neither new, nor kept, nor shielded. */
  #pruned({ id, sessionId, createdAt }: CheckpointRecord, keepNewest: number): readonly CheckpointRecord[] {
    if (this.sessions.get(sessionId)?.tags.includes("keep") === true) return [];
    const all = bySequence(this.live(sessionId).filter((record) => record.kind === "workflow"));
    const free = all.filter((record) => record.id !== id && !record.tags.includes("keep") && !isShieldedAt(record, createdAt));
    return free.slice(0, Math.max(0, all.length - keepNewest));
  }

  #asidesGoing({ sessionId, createdAt, blobBytes }: NewRecord, limit: { readonly count: number; readonly bytes: number }) {
    const left = bySequence(this.live(sessionId).filter(({ kind }) => kind === "aside"));
    const going: CheckpointRecord[] = [];
    while (left.length + 1 > limit.count || left.reduce((sum, record) => sum + record.blobBytes, blobBytes) > limit.bytes) {
      const free = left.filter((record) => !record.tags.includes("keep") && !isShieldedAt(record, createdAt));
      const next = free.toSorted((one, other) => one.lastAccessedAt.getTime() - other.lastAccessedAt.getTime())[0];
      if (next === undefined) return undefined;
      left.splice(left.indexOf(next), 1);
      going.push(next);
    }
    return going;
  }

  #move({ sessionId, checkpoints, from, to, at, reason, agentId, unlessUsedSince, sparesShielded, erases }: Move) {
    const session = this.sessions.get(sessionId);
    if (session === undefined || (unlessUsedSince !== undefined && session.lastAccessedAt > unlessUsedSince)) return [];
    const rows = [...new Set(checkpoints)].flatMap((id) => this.kept.filter(({ record }) => record.id === id));
    const going = rows.filter(({ record, trashedAt }) => {
      const isThere = record.sessionId === sessionId && (trashedAt === undefined) === (from === "live");
      return isThere && !(sparesShielded === true && isShieldedAt(record, at));
    });
    const records = going.map(({ record }) => record);
    if (to === "nowhere") this.#remove(records);
    else for (const row of going) row.trashedAt = to === "trash" ? at : undefined;
    const gone = records.map(({ id: checkpointId, blob }) => ({ blob, checkpointId, sessionId }));
    if (to === "nowhere" && erases === true) this.erasures.push(...gone);
    const action = ({ trash: "trash", live: "restore", nowhere: "delete" } as const)[to];
    this.audit.push(...records.map(({ id }) => ({ at, action, sessionId, checkpointId: id, agentId, reason })));
    if (going.length > 0) this.#noteOldest(sessionId);
    return records;
  }

  #remove(records: readonly CheckpointRecord[]): void {
    const ids = new Set(records.map(({ id }) => id));
    this.kept = this.kept.filter(({ record }) => !ids.has(record.id));
    this.removals.push(...records.map(({ id, blob, sessionId }) => ({ blob, checkpointId: id, sessionId, isDone: false })));
  }

  #forget({ sessions, unusedSince, at }: Forgetting): readonly SessionId[] {
    const going = [...new Set(sessions)].filter((id) => {
      const session = this.sessions.get(id);
      if (session === undefined || session.tags.includes("keep")) return false;
      return (unusedSince === undefined || session.lastAccessedAt <= unusedSince) && this.isEmpty(id);
    });
    for (const sessionId of going) {
      this.sessions.delete(sessionId);
      this.facts.delete(sessionId);
      this.removals = this.removals.filter((row) => row.sessionId !== sessionId);
      this.audit.push({ at, action: "delete", sessionId, checkpointId: undefined, agentId: undefined, reason: "empty" });
    }
    return going;
  }

  /** True when a session has neither a checkpoint nor a blob to be removed. */
  isEmpty(id: SessionId): boolean {
    const isPending = this.removals.some(({ sessionId, isDone }) => sessionId === id && !isDone);
    return !isPending && !this.kept.some(({ record }) => record.sessionId === id);
  }

  #relabel(id: SessionId, change: (labels: Labels) => void): void {
    const session = this.sessions.get(id);
    if (session === undefined) return;
    change(session);
    this.#touched.add(id);
  }

  #touch(id: CheckpointId, at: Date): void {
    for (const row of this.kept) {
      if (row.record.id !== id || row.trashedAt !== undefined) continue;
      if (at > row.record.lastAccessedAt) row.record = { ...row.record, lastAccessedAt: at };
      this.#used(row.record.sessionId, at);
    }
  }

  #shield(id: CheckpointId, until: Date): void {
    for (const row of this.kept) {
      const { shieldedUntil, sessionId } = row.record;
      if (row.record.id !== id || row.trashedAt !== undefined || (shieldedUntil !== undefined && shieldedUntil >= until)) continue;
      row.record = { ...row.record, shieldedUntil: until };
      this.#touched.add(sessionId);
    }
  }

  #endErasures(isEnded: (row: RemovedBlob) => boolean): void {
    for (const { sessionId } of this.erasures.filter(isEnded)) this.#touched.add(sessionId);
    this.erasures = this.erasures.filter((row) => !isEnded(row));
  }

  #noteOldest(sessionId: SessionId): void {
    const session = this.sessions.get(sessionId);
    if (session !== undefined) session.oldestLive = bySequence(this.live(sessionId)).find(({ kind }) => kind === "workflow")?.id ?? null;
    this.#touched.add(sessionId);
  }

  #used(sessionId: SessionId, at: Date): void {
    const session = this.sessions.get(sessionId);
    if (session !== undefined && at > session.lastAccessedAt) session.lastAccessedAt = at;
  }

  #nextSequence(sessionId: SessionId): number {
    const session = this.sessions.get(sessionId) as Labels;
    return (session.lastSequence += 1);
  }

  #addEdge(edge: Edge): void {
    if (!this.edges.some((each) => isSame(each, edge))) this.edges.push(edge);
  }

  #isKnown(id: CheckpointId): boolean {
    return this.kept.some(({ record }) => record.id === id);
  }

  #isNeeded(ref: BlobRef): boolean {
    const based = this.removals.filter(({ blob }) => blob === ref).map(({ checkpointId }) => checkpointId);
    return this.kept.some(({ record }) => record.blob === ref) || this.edges.some(({ base }) => based.includes(base));
  }

  #bytes(sessionId: SessionId): { readonly session: number; readonly store: number } {
    const sum = (records: readonly CheckpointRecord[]): number => records.reduce((bytes, { blobBytes }) => bytes + blobBytes, 0);
    return { session: sum(this.live(sessionId)), store: sum(this.kept.map(({ record }) => record)) };
  }

  /** Written facts list no missing blob. */
  #writeFacts(): void {
    for (const id of this.#touched) {
      const session = this.sessions.get(id);
      if (session === undefined) continue;
      this.removals = this.removals.filter(({ sessionId, isDone }) => sessionId !== id || !isDone);
      this.facts.set(id, this.factsOf(id, session));
    }
    this.#touched.clear();
  }

  factsOf(id: SessionId, { createdAt, tags, pins, oldestLive }: Labels): SessionFacts {
    const kept = this.kept.filter(({ record }) => record.sessionId === id);
    return {
      sessionId: id,
      createdAt,
      tags,
      pins,
      oldestLive,
      tombstones: this.removals.filter(({ sessionId, isDone }) => sessionId === id && !isDone).map(({ checkpointId }) => checkpointId),
      erasing: this.erasures.filter(({ sessionId }) => sessionId === id).map(({ checkpointId }) => checkpointId),
      trash: kept.flatMap(({ record, trashedAt: at }) => (at === undefined ? [] : [{ checkpointId: record.id, at }])),
      shields: kept.flatMap(({ record: { id: checkpointId, shieldedUntil: until } }) => {
        return until === undefined ? [] : [{ checkpointId, until }];
      }),
    };
  }
}

const NOTHING_APPENDED: Extract<CommitOutcome, { status: "committed" }> = {
  status: "committed",
  record: undefined,
  removed: [],
  shielded: [],
  moved: [],
  forgotten: [],
  bytes: undefined,
};

const FORM = ["blob", "blobBytes", "baseId", "keyId", "damaged"] as const;

function isShieldedAt({ shieldedUntil }: CheckpointRecord, at: Date): boolean {
  return shieldedUntil !== undefined && shieldedUntil > at;
}

function isSame(one: Edge, other: Edge): boolean {
  return one.dependent === other.dependent && one.base === other.base;
}

function bySequence(records: readonly CheckpointRecord[]): CheckpointRecord[] {
  return records.toSorted((one, other) => one.sequence - other.sequence);
}

function union(labels: readonly string[], add: readonly string[], remove: readonly string[]): readonly string[] {
  return [...new Set([...labels, ...add])].filter((label) => !remove.includes(label));
}
