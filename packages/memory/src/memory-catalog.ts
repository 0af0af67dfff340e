import {
  type Append,
  type AuditEvent,
  type BlobRef,
  type Catalog,
  type CatalogChange,
  type CatalogRecovery,
  type CheckpointId,
  type CheckpointPage,
  type CheckpointQuery,
  type CheckpointRecord,
  type CommitOutcome,
  type Discrepancies,
  type Edge,
  type NewRecord,
  type PageCursor,
  type Session,
  type SessionFacts,
  type SessionId,
  type StoredForm,
  WorkrailError,
} from "@workrail/core";
import { matchesFilter } from "./matches-filter.ts";
import type { MemoryBlobStore } from "./memory-blob-store.ts";
import { CatalogState, type MemoryDisk, type Row } from "./memory-disk.ts";

/**
 * The catalog's contract in its plainest form. Whatever changes it first decides and then applies, without a pause in
 * which somebody else could look; records are copied in and out.
 */
export class MemoryCatalog implements Catalog, CatalogRecovery {
  readonly #disk: MemoryDisk;
  readonly #blobs: MemoryBlobStore | undefined;

  /** With the blob store it sees for itself whether an appended checkpoint's blob is there. */
  constructor(disk: MemoryDisk, blobs?: MemoryBlobStore) {
    this.#disk = disk;
    this.#blobs = blobs;
  }

  /** The audit log, oldest first. */
  get audit(): readonly AuditEvent[] {
    return structuredClone(this.#state.audit);
  }

  get #state(): CatalogState {
    return this.#disk.catalog;
  }

  commit(change: CatalogChange): Promise<CommitOutcome> {
    const { append, pins, edges, accesses = [], audit } = structuredClone(change);
    return this.#disk.transact(async () => {
      const refusal = append === undefined ? undefined : this.#refuse(append);
      if (refusal !== undefined) return structuredClone(refusal);
      this.#state.audit.push(...audit);
      const appended = append === undefined ? undefined : this.#append(append);
      const removed = append === undefined ? [] : this.#prune(append);
      if (pins !== undefined) this.#pin(pins);
      if (edges !== undefined) this.#changeEdges(edges);
      for (const { checkpointId, at } of accesses) this.#state.touch(checkpointId, at);
      return structuredClone({ status: "committed", record: appended?.record, removed: removed.map(({ record }) => record) });
    });
  }

  async find(id: CheckpointId): Promise<CheckpointRecord | undefined> {
    return structuredClone(this.#state.rows.get(id)?.record);
  }

  async head(session: SessionId): Promise<CheckpointRecord | undefined> {
    return structuredClone(this.#head(session));
  }

  async list({ filter, limit, offset, after }: CheckpointQuery): Promise<CheckpointPage> {
    const rows = filter.sessionId === undefined ? [...this.#state.rows.values()] : (this.#state.sessions.get(filter.sessionId)?.rows ?? []);
    const matching = rows.filter(({ record }) => matchesFilter(record, this.#disk.sessionFacts.get(record.sessionId), filter)).toReversed();
    const from = after === undefined ? Number.POSITIVE_INFINITY : parseCursor(after);
    const rest = matching.filter((row) => row.commit < from).slice(offset);
    const page = rest.slice(0, limit);
    const last = page.at(-1);
    return {
      records: structuredClone(page.map(({ record }) => record)),
      total: matching.length,
      next: last === undefined || page.length === rest.length ? undefined : cursorAfter(last),
    };
  }

  async session(id: SessionId): Promise<Session | undefined> {
    const session = this.#state.sessions.get(id);
    const facts = this.#disk.sessionFacts.get(id);
    if (session === undefined || facts === undefined) return undefined;
    return structuredClone({
      id,
      createdAt: facts.createdAt,
      lastAccessedAt: session.lastAccessedAt,
      tags: facts.tags,
      pins: facts.pins,
      checkpointCount: session.rows.length,
      damagedCount: session.rows.filter(({ record }) => record.damaged).length,
      totalSizeBytes: session.rows.reduce((sum, { record }) => sum + record.blobBytes, 0),
    });
  }

  replaceBlob(expected: CheckpointRecord, becomes: StoredForm, write: () => Promise<void>): Promise<boolean> {
    return this.#disk.transact(async () => {
      const row = this.#state.rows.get(expected.id);
      if (row === undefined || !isStoredAs(row.record, expected)) return false;
      if (becomes.baseId !== null && this.#state.rows.get(becomes.baseId)?.record.damaged !== false) return false;
      await write();
      const { blobBytes, baseId, keyId } = becomes;
      row.record = { ...row.record, blobBytes, baseId, keyId, damaged: false };
      return true;
    });
  }

  markDamaged(expected: CheckpointRecord, audit: AuditEvent, putAside: () => Promise<boolean>): Promise<boolean> {
    return this.#disk.transact(async () => {
      const row = this.#state.rows.get(expected.id);
      if (row === undefined || row.record.damaged || !isStoredAs(row.record, expected)) return false;
      if (!(await putAside())) return false;
      row.record = { ...row.record, damaged: true };
      this.#state.audit.push(structuredClone(audit));
      return true;
    });
  }

  /** Sums are made whenever somebody asks for them; only edges are kept. */
  reconcile(repair: boolean): Promise<Discrepancies> {
    return this.#disk.transact(async () => {
      const known = new Set(this.#state.edges.map(({ dependent, base }) => `${dependent} ${base}`));
      const edges: Edge[] = [];
      for (const { record } of this.#state.rows.values()) {
        const { id, baseId } = record;
        if (baseId !== null && !known.has(`${id} ${baseId}`)) edges.push({ dependent: id, base: baseId });
      }
      if (repair) this.#state.edges.push(...edges);
      return { sums: [], edges };
    });
  }

  reclaim(refs: readonly BlobRef[] | undefined, remove: (ref: BlobRef) => Promise<void>): Promise<readonly BlobRef[]> {
    return this.#disk.transact(async () => {
      const removed: BlobRef[] = [];
      let waiting = [...new Set(refs ?? [...this.#state.pendingRemovals.values()].map(({ blob }) => blob))];
      // What is removed may have been the last to need another, which is then free too, whichever was named first.
      for (let before = -1; before !== removed.length;) {
        before = removed.length;
        const needed = this.#neededRefs();
        for (const ref of waiting.filter((each) => !needed.has(each))) {
          await remove(ref);
          this.#forgetRemoved(ref);
          removed.push(ref);
        }
        waiting = waiting.filter((each) => needed.has(each));
      }
      return removed;
    });
  }

  async needsRebuild(): Promise<boolean> {
    return this.#state.isPristine && this.#disk.blobs.size > 0;
  }

  async *sessionFacts(): AsyncGenerator<SessionFacts> {
    for (const facts of this.#disk.sessionFacts.values()) yield structuredClone(facts);
  }

  replaceAll(records: readonly NewRecord[], sessions: readonly SessionFacts[], audit: AuditEvent): Promise<void> {
    const given = structuredClone({ records, sessions, audit });
    return this.#disk.transact(async () => {
      const state = new CatalogState();
      for (const record of given.records) {
        state.add({ ...record, lastAccessedAt: record.createdAt, damaged: false });
        if (record.baseId !== null) state.edges.push({ dependent: record.id, base: record.baseId });
      }
      state.audit.push(given.audit);
      this.#disk.catalog = state;
      for (const facts of given.sessions) this.#disk.sessionFacts.set(facts.sessionId, facts);
      for (const { record } of state.rows.values()) this.#factsFor(record);
      this.#expectRemovals();
    });
  }

  /** Why the append must not be; `undefined` when it may. Nothing is changed. */
  #refuse({ record, expectedHead, unlessHeadIs }: Append): Exclude<CommitOutcome, { status: "committed" }> | undefined {
    const existing = this.#state.rows.get(record.id);
    if (existing !== undefined) return { status: "exists", record: existing.record };
    const head = this.#head(record.sessionId);
    if (expectedHead !== undefined && (head?.id ?? null) !== expectedHead) return { status: "conflict", head };
    if (head !== undefined && head.canonicalDigest === unlessHeadIs) return { status: "unchanged", head };
    if (this.#blobs !== undefined && !this.#disk.blobs.has(record.blob)) return { status: "blob-missing" };
    return undefined;
  }

  #append({ record, session }: Append): Row {
    if (session !== undefined && !this.#disk.sessionFacts.has(record.sessionId)) {
      this.#setFacts({ sessionId: record.sessionId, ...session, tombstones: [], oldestLive: null });
    }
    const facts = this.#factsFor(record);
    // An id that was removed lives again: neither its tombstone nor the removal of its blob may stand.
    this.#setFacts({ ...facts, tombstones: facts.tombstones.filter((id) => id !== record.id) });
    this.#state.pendingRemovals.delete(record.id);
    return this.#state.add({ ...record, lastAccessedAt: record.createdAt, damaged: false });
  }

  /** Only workflow checkpoints count, and only they go. */
  #prune({ record, keepNewest }: Append): readonly Row[] {
    if (keepNewest === undefined) return [];
    const counted = this.#state.sessions.get(record.sessionId)?.rows.filter((row) => row.record.kind === "workflow") ?? [];
    const removed = counted.slice(0, Math.max(0, counted.length - keepNewest));
    if (removed.length === 0) return removed;
    for (const row of removed) {
      this.#state.remove(row);
      const { sessionId, id } = row.record;
      this.#state.audit.push({ at: record.createdAt, action: "prune", sessionId, checkpointId: id, agentId: record.agentId });
    }
    const facts = this.#factsFor(record);
    this.#setFacts({
      ...facts,
      tombstones: [...facts.tombstones, ...removed.map((row) => row.record.id)],
      oldestLive: counted[removed.length]?.record.id ?? null,
    });
    return removed;
  }

  #pin({ sessionId, pin, release }: NonNullable<CatalogChange["pins"]>): void {
    const facts = this.#disk.sessionFacts.get(sessionId);
    if (facts === undefined) return;
    const pins = new Set([...facts.pins, ...pin]);
    for (const key of release) pins.delete(key);
    this.#setFacts({ ...facts, pins: [...pins] });
  }

  #changeEdges({ add, drop }: NonNullable<CatalogChange["edges"]>): void {
    const isDropped = new Set(drop.map(({ dependent, base }) => `${dependent} ${base}`));
    const added = add.filter(({ dependent }) => this.#state.rows.has(dependent));
    this.#state.edges = [...this.#state.edges, ...added].filter(({ dependent, base }) => !isDropped.has(`${dependent} ${base}`));
  }

  #head(session: SessionId): CheckpointRecord | undefined {
    return this.#state.sessions.get(session)?.rows.findLast(({ record }) => record.kind !== "aside" && !record.damaged)?.record;
  }

  #neededRefs(): ReadonlySet<BlobRef | undefined> {
    const { rows, edges, pendingRemovals } = this.#state;
    const live = [...rows.values()].map(({ record }) => record.blob);
    return new Set([...live, ...edges.map(({ base }) => pendingRemovals.get(base)?.blob)]);
  }

  /** Its blob is gone: it needs nothing any more, and nothing has to keep it from coming back. */
  #forgetRemoved(ref: BlobRef): void {
    for (const [id, { sessionId, blob }] of this.#state.pendingRemovals) {
      if (blob !== ref) continue;
      this.#state.pendingRemovals.delete(id);
      this.#state.edges = this.#state.edges.filter(({ dependent }) => dependent !== id);
      const facts = this.#disk.sessionFacts.get(sessionId);
      if (facts !== undefined) this.#setFacts({ ...facts, tombstones: facts.tombstones.filter((tombstone) => tombstone !== id) });
    }
  }

  /** After a rebuild the tombstones are all that is known of the removals that nobody carried out. */
  #expectRemovals(): void {
    for (const { sessionId, tombstones } of this.#disk.sessionFacts.values()) {
      for (const checkpointId of tombstones) {
        const blob = this.#blobs?.refOf({ sessionId, checkpointId });
        if (blob !== undefined && !this.#state.rows.has(checkpointId)) this.#state.pendingRemovals.set(checkpointId, { sessionId, blob });
      }
    }
  }

  /** The session's facts; it begins with the record that is the first to be saved to it. */
  #factsFor({ sessionId, createdAt }: NewRecord): SessionFacts {
    const known = this.#disk.sessionFacts.get(sessionId);
    if (known !== undefined) return known;
    const facts: SessionFacts = { sessionId, createdAt, tags: [], pins: [], tombstones: [], oldestLive: null };
    this.#setFacts(facts);
    return facts;
  }

  #setFacts(facts: SessionFacts): void {
    this.#disk.sessionFacts.set(facts.sessionId, facts);
  }
}

function cursorAfter(row: Row): PageCursor {
  return `before-${row.commit}` as PageCursor;
}

function parseCursor(cursor: PageCursor): number {
  const commit = /^before-(\d{1,15})$/.exec(cursor)?.[1];
  if (commit !== undefined) return Number(commit);
  throw new WorkrailError("INVALID_INPUT", "after must be the cursor of an earlier page.", {
    details: { field: "after" },
    hint: "Leave it out to begin with the newest.",
  });
}

function isStoredAs(record: CheckpointRecord, expected: CheckpointRecord): boolean {
  const isSameForm = record.blobBytes === expected.blobBytes && record.baseId === expected.baseId && record.keyId === expected.keyId;
  return isSameForm && record.blob === expected.blob && record.damaged === expected.damaged;
}
