import type {
  Append,
  AuditCheck,
  AuditCut,
  AuditEvent,
  AuditQuery,
  AuditWalk,
  BlobRef,
  Catalog,
  CatalogChange,
  ChangePage,
  ChangePosition,
  ChangeQuery,
  CheckpointId,
  CheckpointPage,
  CheckpointQuery,
  CheckpointRecord,
  CommitOutcome,
  Discrepancies,
  Erasure,
  LoggedEvent,
  PageCursor,
  RemoveBlob,
  Session,
  SessionId,
  SessionPage,
  SessionQuery,
  Shield,
  StoredForm,
  StoreUsage,
  TrashPage,
  TrashQuery,
} from "@workrail/core";
import { isMemoryRef } from "@workrail/memory";
import type { RetainedMemory, RetainedPin } from "./retained-memory.ts";
import { isStorageFailure } from "./storage-failure.ts";

/** Cursor prefixes: a listing continues in memory, or in the catalog below. */
const ABOVE = "above.";
const BELOW = "below.";
/** Separates the two positions of a combined position. */
const BETWEEN = "|";
/** Position of a catalog that could not be read when its position was needed. */
const NOWHERE = "" as ChangePosition;
const COMMITTED = {
  status: "committed",
  record: undefined,
  removed: [],
  shielded: [],
  moved: [],
  forgotten: [],
  bytes: undefined,
} as const;
const NOTHING: CheckpointPage = { records: [], total: 0, next: undefined };

/**
 * Memory over a catalog that may fail. Writes stay in memory.
 *
 * Reads that memory cannot answer go below and report a failure there. Listings return the rows that are readable.
 */
export class OverlayCatalog implements Catalog {
  readonly #memory: RetainedMemory;
  readonly #above: Catalog;
  readonly #below: () => Promise<Catalog>;

  constructor(memory: RetainedMemory, below: () => Promise<Catalog>) {
    this.#memory = memory;
    this.#above = memory.storage.catalog;
    this.#below = below;
  }

  /** Does not record loads meanwhile. */
  async commit(change: CatalogChange): Promise<CommitOutcome> {
    const { append, pins, move, forget, tags, shields = [], audit } = change;
    // Memory keeps saves and pins only. Other changes go below and may fail.
    if (move !== undefined || forget !== undefined || tags !== undefined) return (await this.#below()).commit(change);
    if (append !== undefined) return this.#append(append, shields);
    if (shields.length > 0) return this.#shield(shields);
    if (pins !== undefined) {
      for (const key of pins.pin) this.#memory.pin({ sessionId: pins.sessionId, key, isPinned: true, audit });
      for (const key of pins.release) this.#memory.pin({ sessionId: pins.sessionId, key, isPinned: false, audit });
    }
    return COMMITTED;
  }

  async find(id: CheckpointId): Promise<CheckpointRecord | undefined> {
    const found = await this.#above.find(id);
    return found === undefined ? (await this.#below()).find(id) : this.#memory.placed(found);
  }

  async head(session: SessionId): Promise<CheckpointRecord | undefined> {
    const head = await this.#above.head(session);
    return head === undefined ? (await this.#below()).head(session) : this.#memory.placed(head);
  }

  /** Lists memory first: everything in memory is newer than everything below. */
  async list(query: CheckpointQuery): Promise<CheckpointPage> {
    const { filter, limit, after } = query;
    const isBelow = after?.startsWith(BELOW) === true;
    const above = await this.#above.list(isBelow ? { filter, limit: 0, offset: 0 } : { ...query, after: cut(after, ABOVE) });
    const left = limit - above.records.length;
    const offset = isBelow ? query.offset : Math.max(0, query.offset - above.total);
    // At least one row, to get the total.
    const page = { filter, limit: Math.max(1, left), offset, after: isBelow ? cut(after, BELOW) : undefined };
    const below = await ifReadable(async () => (await this.#below()).list(page), NOTHING);
    const records = above.records.map((record) => this.#memory.placed(record));
    const total = above.total + below.total;
    if (above.next !== undefined) return { records, total, next: `${ABOVE}${above.next}` as PageCursor };
    if (left === 0) return { records, total, next: below.records.length === 0 ? undefined : (BELOW as PageCursor) };
    // A checkpoint that is being written to disk right now may be in both.
    records.push(...below.records.filter(({ id }) => !this.#memory.holds(id)));
    return { records, total, next: below.next === undefined ? undefined : (`${BELOW}${below.next}` as PageCursor) };
  }

  async session(id: SessionId): Promise<Session | undefined> {
    const above = await this.#above.session(id);
    const pins = this.#memory.pins().filter(({ sessionId }) => sessionId === id);
    const askBelow = async (): Promise<Session | undefined> => (await this.#below()).session(id);
    const below = above === undefined ? await askBelow() : await ifReadable(askBelow, undefined);
    const session = above === undefined || below === undefined ? (above ?? below) : merged(above, below);
    return session === undefined ? undefined : { ...session, pins: changed(session.pins, pins) };
  }

  /** Lists the least recently used sessions first: those only below, then those with data in memory. */
  async sessions(query: SessionQuery): Promise<SessionPage> {
    const { after } = query;
    if (after?.startsWith(ABOVE) === true) {
      const { sessions, next } = await this.#above.sessions({ ...query, after: cut(after, ABOVE) });
      return { sessions: await this.#asTheyAre(sessions), next: next === undefined ? undefined : (`${ABOVE}${next}` as PageCursor) };
    }
    const askBelow = async (): Promise<SessionPage> => (await this.#below()).sessions({ ...query, after: cut(after, BELOW) });
    const { sessions, next } = await ifReadable(askBelow, { sessions: [], next: undefined });
    const mine = await this.#above.sessions({ ...query, limit: Number.MAX_SAFE_INTEGER, after: undefined });
    const others = sessions.filter(({ id }) => !mine.sessions.some((each) => each.id === id));
    return { sessions: await this.#asTheyAre(others), next: (next === undefined ? ABOVE : `${BELOW}${next}`) as PageCursor };
  }

  /** Merges the data in memory into sessions. */
  async #asTheyAre(sessions: readonly Session[]): Promise<readonly Session[]> {
    const all: Session[] = [];
    for (const each of sessions) all.push(this.#memory.holdsOf(each.id) ? ((await this.session(each.id)) ?? each) : each);
    return all;
  }

  async trash(query: TrashQuery): Promise<TrashPage> {
    return (await this.#below()).trash(query);
  }

  /** Usage of the disk only: data in memory is on its way there. */
  async usage(): Promise<StoreUsage> {
    return (await this.#below()).usage();
  }

  /**
   * Merges the changes of memory and of the catalog below, each with its own position. A catalog that cannot be read counts as unchanged.
   */
  async changes({ after, limit }: ChangeQuery): Promise<ChangePage | undefined> {
    const [mine, theirs] = after === undefined ? [] : (after.split(BETWEEN) as ChangePosition[]);
    const above = await this.#above.changes({ after: mine, limit });
    const unread: ChangePage = { sessions: [], position: theirs ?? NOWHERE, hasMore: false, rows: 0 };
    const askBelow = async (): Promise<ChangePage | undefined> => {
      return (await this.#below()).changes({ after: theirs === NOWHERE ? undefined : theirs, limit });
    };
    const below = await ifReadable(askBelow, unread);
    const isNew = theirs === NOWHERE && below !== unread;
    if (above === undefined || below === undefined || isNew) return undefined;
    return {
      sessions: [...above.sessions, ...below.sessions].map(({ sessionId }) => ({ sessionId, isExtended: false })),
      position: `${above.position}${BETWEEN}${below.position}` as ChangePosition,
      hasMore: above.hasMore || below.hasMore,
      rows: above.rows + below.rows,
    };
  }

  async auditLog(query: AuditQuery): Promise<readonly LoggedEvent[]> {
    return (await this.#below()).auditLog(query);
  }

  async checkAudit(walk: AuditWalk): Promise<AuditCheck> {
    return (await this.#below()).checkAudit(walk);
  }

  async cutAudit(cut: AuditCut): Promise<number> {
    return (await this.#below()).cutAudit(cut);
  }

  async holdRemovals(holder: string, until: Date): Promise<void> {
    return (await this.#below()).holdRemovals(holder, until);
  }

  async releaseRemovals(holder: string): Promise<void> {
    return (await this.#below()).releaseRemovals(holder);
  }

  async replaceBlob(expected: CheckpointRecord, becomes: StoredForm, write: () => Promise<void>): Promise<boolean> {
    return (await this.#below()).replaceBlob(expected, becomes, write);
  }

  async markDamaged(expected: CheckpointRecord, audit: AuditEvent, putAside: () => Promise<boolean>): Promise<boolean> {
    return (await this.#below()).markDamaged(expected, audit, putAside);
  }

  async reconcile(repair: boolean): Promise<Discrepancies> {
    return (await this.#below()).reconcile(repair);
  }

  async erasures(): Promise<readonly Erasure[]> {
    return (await this.#below()).erasures();
  }

  /** Never removes blobs below meanwhile. */
  reclaim(refs: readonly BlobRef[] = [], remove: RemoveBlob): Promise<readonly BlobRef[]> {
    return this.#above.reclaim(refs.filter(isMemoryRef), remove);
  }

  /**
   * Checks the append against memory and the catalog below. Saves run in order, so no other call of this process changes either meanwhile.
   */
  async #append({ record, expectedHead, unlessHeadIs, quota }: Append, shields: readonly Shield[]): Promise<CommitOutcome> {
    const existing = await this.find(record.id);
    if (existing !== undefined) return { status: "exists", record: existing };
    const head = await this.head(record.sessionId);
    if (expectedHead !== undefined && (head?.id ?? null) !== expectedHead) return { status: "conflict", head };
    if (head !== undefined && head.canonicalDigest === unlessHeadIs) return { status: "unchanged", head };
    // Pruning by age or number happens when memory is written to disk. Quotas belong to the disk: memory has its own bound.
    const unlimited = { session: Number.POSITIVE_INFINITY, store: Number.POSITIVE_INFINITY };
    const terms = { expectedHead: undefined, unlessHeadIs: undefined, keepNewest: undefined };
    const append = { record, ...terms, quota: quota === undefined ? undefined : unlimited };
    const outcome = await this.#above.commit({ append, shields, audit: [] });
    if (outcome.status !== "committed" || outcome.record === undefined) return outcome;
    this.#memory.hold(outcome.record, (head?.sequence ?? 0) + 1);
    return { ...outcome, record: this.#memory.placed(outcome.record) };
  }

  /** Sets a shield where its checkpoint is. A checkpoint on disk gets one only if the disk can be written to. */
  async #shield(shields: readonly Shield[]): Promise<CommitOutcome> {
    const isAbove = ({ checkpointId }: Shield): boolean => this.#memory.holds(checkpointId);
    const kept = await this.#above.commit({ shields: shields.filter(isAbove), audit: [] });
    const others = shields.filter((each) => !isAbove(each));
    const written = others.length === 0 ? COMMITTED : await (await this.#below()).commit({ shields: others, audit: [] });
    const [above, below] = [kept, written].map((outcome) => (outcome.status === "committed" ? outcome.shielded : []));
    return { ...COMMITTED, shielded: [...(above ?? []).map((record) => this.#memory.placed(record)), ...(below ?? [])] };
  }
}

function cut(after: PageCursor | undefined, prefix: string): PageCursor | undefined {
  const rest = after?.slice(prefix.length);
  return rest === undefined || rest === "" ? undefined : (rest as PageCursor);
}

async function ifReadable<T>(read: () => Promise<T>, otherwise: T): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (isStorageFailure(error)) return otherwise;
    throw error;
  }
}

function merged(above: Session, below: Session): Session {
  return {
    ...below,
    lastAccessedAt: above.lastAccessedAt > below.lastAccessedAt ? above.lastAccessedAt : below.lastAccessedAt,
    checkpointCount: above.checkpointCount + below.checkpointCount,
    asideCount: above.asideCount + below.asideCount,
    damagedCount: above.damagedCount + below.damagedCount,
    totalSizeBytes: above.totalSizeBytes + below.totalSizeBytes,
  };
}

function changed(before: readonly string[], pins: readonly RetainedPin[]): readonly string[] {
  const keys = new Set(before);
  for (const { key, isPinned } of pins) {
    if (isPinned) keys.add(key);
    else keys.delete(key);
  }
  return [...keys];
}
