import { isErasureWanted, isRemovalWanted, matcherOf, queryAudit } from "./matching-rows.ts";
import type { AuditEvent, LoggedEvent } from "../model/audit.ts";
import type { BlobRef, CheckpointId, SessionId } from "../model/ids.ts";
import type { SessionFacts } from "../model/session.ts";
import {
  type Change,
  type CheckpointRow,
  type Edge,
  type ErasureRow,
  type HoldRow,
  KEY_OF,
  type NewRow,
  type RemovalRow,
  type RowChange,
  type SessionRow,
} from "./rows.ts";
import { BlobTable } from "./blob-table.ts";
import { contradictionsIn } from "./contradictions-in.ts";
import { answered, type Decision } from "./rule.ts";
import { type Answers, headOf, type Read, type Select, type SelectSessions, type TimedPlace, type Where } from "./reads.ts";
import { survivingFacts, survivingReads } from "./surviving-facts.ts";

/** Whole content of the tables, from which new ones can be made. */
export interface TablesContent {
  /** Number of checkpoints ever appended. */
  readonly lastCommit: number;
  /** Checkpoints come in the order of their commits. */
  readonly rows: readonly NewRow[];
  readonly audit: readonly LoggedEvent[];
}

/** Rows of a catalog in memory, with the answers to every read. Rows are replaced, never changed in place. */
export class MemoryTables {
  /** In the order of their commits. */
  readonly #checkpoints = new Map<CheckpointId, CheckpointRow>();
  /** Rows of each session in the order of their sequence. */
  readonly #bySession = new Map<SessionId, CheckpointRow[]>();
  readonly #sessions = new Map<string, SessionRow>();
  readonly #edges = new Map<string, Edge>();
  readonly #removals = new BlobTable<RemovalRow>();
  readonly #erasures = new BlobTable<ErasureRow>();
  readonly #holds = new Map<string, HoldRow>();
  readonly #audit: LoggedEvent[] = [];
  readonly #hasBlob: (ref: BlobRef) => boolean;
  #bytes = 0;
  #lastCommit = 0;

  constructor(hasBlob: (ref: BlobRef) => boolean, content?: TablesContent) {
    this.#hasBlob = hasBlob;
    if (content === undefined) return;
    this.apply(content);
    this.#lastCommit = Math.max(this.#lastCommit, content.lastCommit);
  }

  get content(): TablesContent {
    const tables = {
      session: this.#sessions,
      checkpoint: this.#checkpoints,
      edge: this.#edges,
      removal: this.#removals,
      erasure: this.#erasures,
      hold: this.#holds,
    };
    const rows = Object.entries(tables).flatMap(([table, all]) => [...all.values()].map((now) => ({ table, now }) as NewRow));
    return { lastCommit: this.#lastCommit, rows, audit: this.#audit };
  }

  /** True when nothing was ever written. */
  get isPristine(): boolean {
    return this.#lastCommit === 0 && this.#audit.length === 0;
  }

  /** Number of checkpoints ever appended. */
  get lastCommit(): number {
    return this.#lastCommit;
  }

  /** The audit log, oldest first. */
  get audit(): readonly LoggedEvent[] {
    return this.#audit;
  }

  /** Derives the facts of every session. */
  get sessionFacts(): readonly SessionFacts[] {
    return [...this.#sessions.values()].flatMap(({ id }) => {
      return survivingFacts(
        id,
        [],
        answered(survivingReads(id), (read) => this.answer(read)),
      ).facts;
    });
  }

  answer<R extends Read>(read: R): Answers[R["of"]] {
    return this.#answers[read.of](read as never) as Answers[R["of"]];
  }

  /** Applies the rows of a decision, and assigns places to new checkpoints. The audit rows are chained, or have been once. */
  apply({ rows, audit, auditThrough = 0 }: Pick<Decision<unknown>, "rows" | "audit" | "auditThrough">): void {
    for (const change of rows) this.#put(change);
    for (const event of audit) this.#audit.push(this.#numbered(event));
    const kept = this.#audit.findIndex(({ number }) => number > auditThrough);
    this.#audit.splice(0, kept === -1 ? this.#audit.length : kept);
  }

  readonly #answers: { readonly [K in Read["of"]]: (read: Extract<Read, { of: K }>) => Answers[K] } = {
    checkpoint: ({ id }) => this.#checkpoints.get(id),
    checkpoints: (read) => this.#select(read),
    places: (read) => this.#select({ ...read, of: "checkpoints" }).map(({ record: { id, sequence } }) => ({ id, sequence })),
    count: ({ where }) => this.#candidates(where).filter(this.#matcher(where)).length,
    session: ({ id }) => this.#sessions.get(id),
    sessions: (read) => this.#selectSessions(read).map((row) => ({ ...row, damagedCount: this.#damagedIn(row.id) })),
    edges: ({ dependents, bases }) => {
      const edges = [...this.#edges.values()];
      return edges.filter(({ dependent, base }) => dependents?.includes(dependent) !== false && bases?.includes(base) !== false);
    },
    removals: (read) => {
      const bases = read.isNoBase === true ? this.#bases() : new Set<CheckpointId>();
      const rows = this.#removals.candidates(read).filter((row) => isRemovalWanted(row, read) && !bases.has(row.checkpointId));
      return rows.slice(0, read.limit);
    },
    erasures: (read) => this.#erasures.candidates(read).filter((row) => isErasureWanted(row, read)),
    holds: () => [...this.#holds.values()],
    bytes: () => this.#bytes,
    totals: () => this.#totals(),
    audit: ({ query }) => queryAudit(this.#audit, query),
    mark: () => undefined,
    blob: ({ ref }) => this.#hasBlob(ref),
    contradictions: () => contradictionsIn({ sessions: this.#sessions, checkpoints: this.#checkpoints, edges: this.#edges }),
  };

  #select(select: Select): readonly CheckpointRow[] {
    const { where, order, limit, offset = 0 } = select;
    const rows = order === "trashed" ? [...this.#candidates(where)].filter(isTrashed).toSorted(byTimeTrashed) : this.#candidates(where);
    const matches = this.#matcher(where);
    const found: CheckpointRow[] = [];
    let skip = offset;
    // One row at an end of a session is read with every save: the search stops there.
    for (let index = 0; index < rows.length && found.length < limit; index++) {
      const row = rows[order === "newest" ? rows.length - 1 - index : index] as CheckpointRow;
      if (!isBehind(row, select) || !matches(row)) continue;
      if (skip > 0) skip -= 1;
      else found.push(row);
    }
    return found;
  }

  /** Returns rows in their order, among which all that match are. */
  #candidates({ ids, sessionId }: Where): readonly CheckpointRow[] {
    if (ids !== undefined) {
      const rows = [...new Set(ids)].map((id) => this.#checkpoints.get(id)).filter((row) => row !== undefined);
      return rows.toSorted((one, other) => (one.commit ?? 0) - (other.commit ?? 0));
    }
    return sessionId === undefined ? [...this.#checkpoints.values()] : (this.#bySession.get(sessionId) ?? []);
  }

  #matcher(where: Where): (row: CheckpointRow) => boolean {
    return matcherOf(where, {
      tagsOf: (sessionId) => this.#sessions.get(sessionId)?.tags ?? [],
      headOf: (sessionId) => this.#select(headOf(sessionId))[0]?.record.id,
    });
  }

  #selectSessions({ where, limit, after }: SelectSessions): readonly SessionRow[] {
    const { has, project, unusedSince, withoutTag } = where;
    const rows = [...this.#sessions.values()].filter((row) => {
      return (
        (has !== "live" || row.checkpointCount > 0) &&
        (has !== "nothing" || this.#isEmpty(row.id)) &&
        (project === undefined || this.answer({ of: "count", where: { state: "live", sessionId: row.id, project } }) > 0) &&
        (unusedSince === undefined || row.lastAccessedAt <= unusedSince) &&
        (withoutTag === undefined || !row.tags.includes(withoutTag)) &&
        (after === undefined || isBefore(after, placeOfSession(row)))
      );
    });
    return rows.toSorted((one, other) => (isBefore(placeOfSession(one), placeOfSession(other)) ? -1 : 1)).slice(0, limit);
  }

  #isEmpty(sessionId: SessionId): boolean {
    const hasCheckpoint = (this.#bySession.get(sessionId) ?? []).length > 0;
    return !hasCheckpoint && this.answer({ of: "removals", sessionId, isDone: false }).length === 0;
  }

  #damagedIn(sessionId: SessionId): number {
    return this.answer({ of: "count", where: { state: "live", sessionId, damaged: true } });
  }

  #bases(): ReadonlySet<CheckpointId> {
    return new Set([...this.#edges.values()].map(({ base }) => base));
  }

  #totals(): Answers["totals"] {
    const rows = [...this.#checkpoints.values()];
    const live = rows.filter((row) => !isTrashed(row));
    const liveBytes = live.reduce((sum, { record }) => sum + record.blobBytes, 0);
    const pending = this.answer({ of: "removals", isDone: false });
    const bases = this.#bases();
    return {
      sessions: [...this.#sessions.values()].filter(({ checkpointCount }) => checkpointCount > 0).length,
      checkpoints: live.length,
      damaged: live.filter(({ record }) => record.damaged).length,
      liveBytes,
      trashed: rows.length - live.length,
      trashBytes: this.#bytes - liveBytes,
      pendingRemovals: pending.length,
      neededRemovals: pending.filter(({ checkpointId }) => bases.has(checkpointId)).length,
    };
  }

  #put(change: RowChange): void {
    switch (change.table) {
      case "checkpoint":
        return this.#putCheckpoint(change);
      case "session":
        return replace(this.#sessions, change, KEY_OF.session);
      case "edge":
        return replace(this.#edges, change, KEY_OF.edge);
      case "hold":
        return replace(this.#holds, change, KEY_OF.hold);
      case "removal":
        return replaceBlob(this.#removals, change);
      case "erasure":
        return replaceBlob(this.#erasures, change);
    }
  }

  #putCheckpoint({ was, now }: Change<CheckpointRow>): void {
    if (was !== undefined) {
      const rows = this.#bySession.get(was.record.sessionId) ?? [];
      rows.splice(indexOf(rows, was.record.sequence), 1);
      this.#bytes -= was.record.blobBytes;
      // A row that stays keeps its place in the map, and so the order of commits.
      if (now === undefined) this.#checkpoints.delete(was.record.id);
    }
    if (now === undefined) return;
    const row = { ...now, commit: now.commit ?? this.#lastCommit + 1 };
    this.#lastCommit = Math.max(this.#lastCommit, row.commit);
    const rows = this.#bySession.get(row.record.sessionId) ?? [];
    this.#bySession.set(row.record.sessionId, rows);
    rows.splice(indexOf(rows, row.record.sequence), 0, row);
    this.#checkpoints.set(row.record.id, row);
    this.#bytes += row.record.blobBytes;
  }

  #numbered(event: AuditEvent & Partial<Pick<LoggedEvent, "number" | "digest">>): LoggedEvent {
    return { ...event, number: event.number ?? (this.#audit.at(-1)?.number ?? 0) + 1, digest: event.digest };
  }
}

/** Returns the index of a sequence, or the index where it would be. */
function indexOf(rows: readonly CheckpointRow[], sequence: number): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rows[middle] as CheckpointRow).record.sequence < sequence) low = middle + 1;
    else high = middle;
  }
  return low;
}

function replace<Row>(table: Map<string, Row>, { was, now }: Change<Row>, keyOf: (row: Row) => string): void {
  if (was !== undefined && now === undefined) table.delete(keyOf(was));
  if (now !== undefined) table.set(keyOf(now), now);
}

function replaceBlob<Row extends ErasureRow>(table: BlobTable<Row>, { was, now }: Change<Row>): void {
  if (now !== undefined) table.set(now);
  else if (was !== undefined) table.delete(was.blob);
}

type TrashedRow = CheckpointRow & { readonly trashedAt: Date };

function isTrashed(row: CheckpointRow): row is TrashedRow {
  return row.trashedAt !== undefined;
}

function isBehind(row: CheckpointRow, { where: { sessionId }, order, after }: Select): boolean {
  if (after === undefined) return true;
  if (typeof after !== "number") return isTrashed(row) && isBefore(after, placeInTrash(row));
  const place = sessionId === undefined ? (row.commit ?? 0) : row.record.sequence;
  return order === "newest" ? place < after : place > after;
}

function byTimeTrashed(one: TrashedRow, other: TrashedRow): number {
  return isBefore(placeInTrash(one), placeInTrash(other)) ? -1 : 1;
}

function placeInTrash({ record, trashedAt }: TrashedRow): TimedPlace {
  return [trashedAt, record.id];
}

function placeOfSession({ lastAccessedAt, id }: SessionRow): TimedPlace {
  return [lastAccessedAt, id];
}

function isBefore([at, id]: TimedPlace, [otherAt, otherId]: TimedPlace): boolean {
  return at.getTime() === otherAt.getTime() ? id < otherId : at < otherAt;
}
