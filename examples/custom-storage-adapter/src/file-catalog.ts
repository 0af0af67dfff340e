import type {
  Append,
  AuditEvent,
  BlobRef,
  Catalog,
  CatalogChange,
  CatalogRecovery,
  CheckpointId,
  CheckpointPage,
  CheckpointQuery,
  CheckpointRecord,
  CommitOutcome,
  Discrepancies,
  NewRecord,
  PageCursor,
  Session,
  SessionFacts,
  SessionId,
  StoredForm,
} from "@workrail/core";
import { type CatalogState, changed, EMPTY, parseState, pruned, type Row, withRecord } from "./catalog-state.ts";
import { type Files, ifThere, translated, writeDurably } from "./durable-file.ts";
import type { FolderBlobStore } from "./folder-blob-store.ts";
import { matchesFilter } from "./matches-filter.ts";

/** What says how a checkpoint is kept. */

/** The catalog in one file, which each commit replaces: atomic and durable, because replacing the file is. */
export class FileCatalog implements Catalog, CatalogRecovery {
  readonly #files: Files;
  readonly #file: string;
  readonly #blobs: FolderBlobStore;
  #state: CatalogState = EMPTY;
  /** Whether the file is known to be what `#state` says, and durable. */
  #isSettled = false;
  #last: Promise<unknown> = Promise.resolve();

  private constructor(files: Files, file: string, blobs: FolderBlobStore) {
    this.#files = files;
    this.#file = file;
    this.#blobs = blobs;
  }

  static async open(files: Files, file: string, blobs: FolderBlobStore): Promise<FileCatalog> {
    const catalog = new FileCatalog(files, file, blobs);
    await catalog.#alone(() => catalog.#settle());
    return catalog;
  }

  commit(change: CatalogChange): Promise<CommitOutcome> {
    const { append, ...rest } = structuredClone(change);
    return this.#alone(async () => {
      await this.#settle();
      const refusal = append === undefined ? undefined : await this.#refuse(append);
      if (refusal !== undefined) return refusal;
      const state = changed(append === undefined ? this.#state : withRecord(this.#state, append.record, append.session), rest);
      const next = append === undefined ? state : pruned(state, append);
      await this.#write(next);
      const removed = state.rows.filter((row) => !next.rows.includes(row)).map((row) => row.record);
      return { status: "committed", record: append && (await this.find(append.record.id)), removed };
    });
  }

  async find(id: CheckpointId): Promise<CheckpointRecord | undefined> {
    return this.#state.rows.find(({ record }) => record.id === id)?.record;
  }

  async head(session: SessionId): Promise<CheckpointRecord | undefined> {
    const canBeHead = ({ record }: Row): boolean => record.sessionId === session && record.kind !== "aside" && !record.damaged;
    return this.#state.rows.findLast(canBeHead)?.record;
  }

  async list({ filter, limit, offset, after }: CheckpointQuery): Promise<CheckpointPage> {
    const tags = new Map(this.#state.sessions.map((session) => [session.sessionId, session.tags]));
    const matching = this.#state.rows.filter(({ record }) => matchesFilter(record, tags.get(record.sessionId) ?? [], filter));
    const older = matching.filter(({ ordinal }) => after === undefined || ordinal < Number(after)).reverse();
    const page = older.slice(offset, offset + limit);
    const goesOn = offset + page.length < older.length;
    const next = goesOn ? (String(page.at(-1)?.ordinal) as PageCursor) : undefined;
    return { records: page.map(({ record }) => record), total: matching.length, next };
  }

  async session(id: SessionId): Promise<Session | undefined> {
    const session = this.#state.sessions.find(({ sessionId }) => sessionId === id);
    if (session === undefined) return undefined;
    const records = this.#state.rows.map(({ record }) => record).filter(({ sessionId }) => sessionId === id);
    const { createdAt, lastAccessedAt, tags, pins } = session;
    const totalSizeBytes = records.reduce((sum, { blobBytes }) => sum + blobBytes, 0);
    const damagedCount = records.filter(({ damaged }) => damaged).length;
    return { id, createdAt, lastAccessedAt, tags, pins, checkpointCount: records.length, damagedCount, totalSizeBytes };
  }

  replaceBlob(expected: CheckpointRecord, becomes: StoredForm, write: () => Promise<void>): Promise<boolean> {
    return this.#alone(async () => {
      await this.#settle();
      const record = await this.#asExpected(expected);
      const hasBase = becomes.baseId === null || (await this.find(becomes.baseId))?.damaged === false;
      if (record === undefined || !hasBase) return false;
      await write();
      await this.#writeRecord({ ...record, ...becomes, damaged: false });
      return true;
    });
  }

  markDamaged(expected: CheckpointRecord, audit: AuditEvent, putAside: () => Promise<boolean>): Promise<boolean> {
    return this.#alone(async () => {
      await this.#settle();
      const record = await this.#asExpected(expected);
      if (record === undefined || record.damaged || !(await putAside())) return false;
      await this.#writeRecord({ ...record, damaged: true }, audit);
      return true;
    });
  }

  /** Sums are made whenever somebody asks for them; only edges are kept. */
  reconcile(repair: boolean): Promise<Discrepancies> {
    return this.#alone(async () => {
      await this.#settle();
      const { rows, edges } = this.#state;
      const wanted = rows.flatMap(({ record: { id, baseId } }) => (baseId === null ? [] : [{ dependent: id, base: baseId }]));
      const missing = wanted.filter((edge) => !edges.some(({ dependent, base }) => dependent === edge.dependent && base === edge.base));
      if (repair && missing.length > 0) await this.#write({ ...this.#state, edges: [...edges, ...missing] });
      return { sums: [], edges: missing };
    });
  }

  async reclaim(refs: readonly BlobRef[] | undefined, remove: (ref: BlobRef) => Promise<void>): Promise<readonly BlobRef[]> {
    const removed: BlobRef[] = [];
    // What is removed may have been the last to need another, which is then free too.
    for (let before = -1; before !== removed.length;) {
      before = removed.length;
      const left = refs?.filter((ref) => !removed.includes(ref));
      removed.push(...(await this.#alone(() => this.#reclaimOnce(left, remove))));
    }
    return removed;
  }

  async needsRebuild(): Promise<boolean> {
    if (this.#state.sessions.length > 0 || this.#state.audit.length > 0) return false;
    for await (const _ of this.#blobs.list()) return true;
    return false;
  }

  async *sessionFacts(): AsyncGenerator<SessionFacts> {
    for (const { lastSequence: _, lastAccessedAt: _at, ...facts } of this.#state.sessions) {
      const removed = this.#state.pending.filter(({ sessionId }) => sessionId === facts.sessionId);
      yield { ...facts, tombstones: removed.map(({ id }) => id) };
    }
  }

  replaceAll(records: readonly NewRecord[], sessions: readonly SessionFacts[], audit: AuditEvent): Promise<void> {
    return this.#alone(async () => {
      await this.#settle();
      const fresh = sessions.map((facts) => ({ ...facts, lastSequence: 0, lastAccessedAt: facts.createdAt }));
      const isLive = new Set(records.map(({ id }) => id));
      // What is not among them was removed, and its blob may still be there.
      const pending = [...this.#state.pending, ...this.#state.rows.map(({ record }) => record)].filter(({ id }) => !isLive.has(id));
      const edges = records.flatMap(({ id, baseId }) => (baseId === null ? [] : [{ dependent: id, base: baseId }]));
      const empty: CatalogState = { ...EMPTY, sessions: fresh, pending, edges, audit: [audit] };
      await this.#write(records.reduce((state, record) => withRecord(state, record), empty));
    });
  }

  async #refuse({ record, expectedHead, unlessHeadIs }: Append): Promise<Exclude<CommitOutcome, { status: "committed" }> | undefined> {
    const existing = await this.find(record.id);
    if (existing !== undefined) return { status: "exists", record: existing };
    const head = await this.head(record.sessionId);
    if (expectedHead !== undefined && (head?.id ?? null) !== expectedHead) return { status: "conflict", head };
    if (head !== undefined && head.canonicalDigest === unlessHeadIs) return { status: "unchanged", head };
    return (await this.#blobs.has(record.blob)) ? undefined : { status: "blob-missing" };
  }

  async #asExpected(expected: CheckpointRecord): Promise<CheckpointRecord | undefined> {
    const record = await this.find(expected.id);
    const fields = ["blob", "blobBytes", "baseId", "keyId", "damaged"] as const;
    return record !== undefined && fields.every((field) => record[field] === expected[field]) ? record : undefined;
  }

  #writeRecord(record: CheckpointRecord, ...audit: readonly AuditEvent[]): Promise<void> {
    const rows = this.#state.rows.map((row) => (row.record.id === record.id ? { ...row, record } : row));
    return this.#write({ ...this.#state, rows, audit: [...this.#state.audit, ...audit] });
  }

  async #reclaimOnce(refs: readonly BlobRef[] | undefined, remove: (ref: BlobRef) => Promise<void>): Promise<readonly BlobRef[]> {
    await this.#settle();
    const { rows, pending, edges } = this.#state;
    const bases = pending.filter(({ id }) => edges.some(({ base }) => base === id));
    const needed = new Set([...rows.map(({ record }) => record), ...bases].map(({ blob }) => blob));
    const free = [...new Set(refs ?? pending.map(({ blob }) => blob))].filter((ref) => !needed.has(ref));
    for (const ref of free) await remove(ref);
    const gone = pending.filter((record) => free.includes(record.blob));
    if (gone.length === 0) return free;
    await this.#write({
      ...this.#state,
      pending: pending.filter((record) => !gone.includes(record)),
      edges: edges.filter(({ dependent }) => !gone.some(({ id }) => id === dependent)),
    });
    return free;
  }

  async #write(next: CatalogState): Promise<void> {
    this.#isSettled = false;
    // Where it fails after the file was replaced, nobody knows what a power cut would leave.
    await translated(writeDurably(this.#files, this.#file, Buffer.from(JSON.stringify(next)), "replace"), { outcome: "unknown" });
    this.#state = next;
    this.#isSettled = true;
  }

  /** Before anything is decided: what the file says, made durable again after a write that failed. */
  async #settle(): Promise<void> {
    if (this.#isSettled) return;
    const bytes = await translated(ifThere(this.#files.readFile(this.#file)));
    await this.#write(bytes === undefined ? EMPTY : parseState(bytes.toString()));
  }

  /** One after another. */
  #alone<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#last.then(work);
    this.#last = mine.catch(() => undefined);
    return mine;
  }
}
