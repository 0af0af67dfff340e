import type { AuditAction, AuditDigest, AuditEvent, AuditPlace, LinkCheck, LoggedEvent } from "../model/audit.ts";
import type { CheckpointKind, CheckpointRecord, NewRecord } from "../model/checkpoint.ts";
import type { BlobRef, ChangePosition, CheckpointId, Digest, PageCursor, SessionId } from "../model/ids.ts";
import type { Session, SessionFacts, Shield } from "../model/session.ts";

/**
 * Holds sessions and the records of their checkpoints, and decides, atomically, what is the head.
 *
 * Each call is one whole operation: a database can do it in one transaction or one statement. Times
 * never order anything; the sequence does. Driver failures reject with `STORAGE_UNAVAILABLE`, a lock that
 * cannot be had in time with `LOCK_TIMEOUT`.
 */
export interface Catalog {
  /**
   * Applies the whole change or nothing of it, durably before it resolves, and decides `append` against
   * the state inside the transaction. A rejection means that nothing was applied, except where the outcome
   * of the commit itself could not be learnt: then `details.outcome` is `"unknown"` and no blob may be removed.
   */
  commit(change: CatalogChange): Promise<CommitOutcome>;
  /** `undefined` when there is no such live checkpoint. */
  find(id: CheckpointId): Promise<CheckpointRecord | undefined>;
  /** The session's checkpoint with the highest sequence among those that can be head; an aside or a damaged one never is. */
  head(session: SessionId): Promise<CheckpointRecord | undefined>;
  /** Newest first, in the order of their commits. */
  list(query: CheckpointQuery): Promise<CheckpointPage>;
  /** `undefined` when nothing was ever saved to it. */
  session(id: SessionId): Promise<Session | undefined>;
  /**
   * Lets `write` give the blob of a checkpoint, live or in the trash, other bytes of the same content while no commit anywhere can
   * interfere, and records the new size, base and key with it. Resolves with `false`, and calls nothing, when the record is no longer
   * as `expected`, or `becomes.baseId` is not live, or damaged. Whoever vouches for the bytes of a damaged one so makes it whole
   * again: the mark is taken away. The edge to a new base must have been committed before; a crash
   * between `write` and the record's change leaves a blob that says itself how it is to be read.
   */
  replaceBlob(expected: CheckpointRecord, becomes: StoredForm, write: () => Promise<void>): Promise<boolean>;
  /**
   * Marks a checkpoint as damaged while no commit anywhere can interfere, and writes `audit` with it. Resolves with
   * `false`, and calls nothing, when the record is no longer as `expected`; else it calls `putAside`, which looks at the
   * bytes a last time and moves them away, and marks only if that says `true`. `putAside` may read the catalog. A crash
   * between the two leaves a record without its blob, which the next who reads it marks.
   */
  markDamaged(expected: CheckpointRecord, audit: AuditEvent, putAside: () => Promise<boolean>): Promise<boolean>;
  /**
   * Compares what the catalog keeps twice: each session's sums with its records, and the edges with the bases that records
   * name. With `repair` it corrects what is wrong, durably. Resolves with what was wrong.
   */
  reconcile(repair: boolean): Promise<Discrepancies>;
  /** Sessions that hold live checkpoints, or with `empty` those that hold nothing, the least recently used first. */
  sessions(query: SessionQuery): Promise<SessionPage>;
  /** What is in the trash, the longest there first. */
  trash(query: TrashQuery): Promise<TrashPage>;
  /** What the whole store holds. */
  usage(): Promise<StoreUsage>;
  /** Rows of the audit log, by their numbers. */
  auditLog(query: AuditQuery): Promise<readonly LoggedEvent[]>;
  /** Whether rows of the audit log still follow each other, at most `limit` at a time. While it looks others can commit. */
  checkAudit(walk: AuditWalk): Promise<AuditCheck>;
  /**
   * Removes the oldest rows of the audit log, up to the first that is not older than `before`, and at most `limit`. In the same transaction a
   * row `audit-cut` is written that tells the last of them, so that what is left can be checked. Resolves with how many it removed; when there
   * is none, nothing is written.
   */
  cutAudit(cut: AuditCut): Promise<number>;
  /**
   * In which sessions checkpoints or tags came or went since a position, at most `limit` changes at a time. `undefined` when it
   * is not a position of this catalog, as after a rebuild: then anything may have changed. Without `after` it tells the
   * position of now, and of no session.
   */
  changes(query: ChangeQuery): Promise<ChangePage | undefined>;
  /**
   * Calls `remove` for each ref that no record, live or in the trash, and no edge needs, while no commit anywhere can begin
   * to need it, and resolves with those it removed. Afterwards they no longer count as pending removals.
   * Without refs it takes the pending removals: what earlier commits removed and nobody reclaimed yet.
   * While somebody holds removals it removes nothing. `remove` is told which of them are to be erased, and may read the catalog.
   */
  reclaim(refs: readonly BlobRef[] | undefined, remove: RemoveBlob): Promise<readonly BlobRef[]>;
  /** Erasures that are not finished: of what a move `erases` something may be left, until a commit says that they are `erased`. */
  erasures(): Promise<readonly Erasure[]>;
  /**
   * Has `reclaim` remove nothing, here and in every other process, until the time given by the system's clock, so that
   * blobs can be copied in peace; a holder that crashed holds no longer than that. Holding again moves the end.
   */
  holdRemovals(holder: string, until: Date): Promise<void>;
  /** Ends a hold. Ending one that is not there changes nothing. */
  releaseRemovals(holder: string): Promise<void>;
}

/** @param isToBeErased whether somebody wants nothing of it to be left: `BlobStore.erase` it. */
export type RemoveBlob = (ref: BlobRef, isToBeErased: boolean) => Promise<void>;

/** A checkpoint that is removed, and of which nothing is to be left. */
export interface Erasure {
  readonly checkpointId: CheckpointId;
  readonly sessionId: SessionId;
  readonly blob: BlobRef;
  /**
   * Edges of checkpoints, live or in the trash, that may be stored against it, or against one that was removed and is itself
   * stored so. Its blob stays until these checkpoints are stored otherwise and the edges are dropped.
   */
  readonly edges: readonly Edge[];
}

/** How a checkpoint's bytes are kept. */
export type StoredForm = Pick<CheckpointRecord, "blobBytes" | "baseId" | "keyId">;

/** What one commit changes. */
export interface CatalogChange {
  readonly append?: Append;
  /** Entries to pin in a session, or to release. Pinning twice, or releasing what is not pinned, changes nothing. */
  readonly pins?: { readonly sessionId: SessionId; readonly pin: readonly string[]; readonly release: readonly string[] };
  /** Tags to put on a session, or to take off it. */
  readonly tags?: { readonly sessionId: SessionId; readonly add: readonly string[]; readonly remove: readonly string[] };
  readonly move?: Move;
  /** Checkpoints of which nothing is left: they are no erasures any more. */
  readonly erased?: readonly CheckpointId[];
  readonly forget?: Forgetting;
  /**
   * Edges of "needs the bytes of", kept a superset of what blobs need: add before replacing a blob, drop
   * after. One whose dependent is not live is not added: nobody would ever take it away.
   */
  readonly edges?: { readonly add: readonly Edge[]; readonly drop: readonly Edge[] };
  /**
   * Shields live checkpoints, the appended one among them, from whatever removes of its own accord. A shield is made longer, never
   * shorter. Unknown checkpoints, and those in the trash, are passed over; the outcome tells which were not.
   */
  readonly shields?: readonly Shield[];
  /** Loads since the last commit; unknown checkpoints are passed over. */
  readonly accesses?: readonly { readonly checkpointId: CheckpointId; readonly at: Date }[];
  /** Written in the same transaction as what they tell of, and only if that is applied; each chained to the row before it. */
  readonly audit: readonly AuditEvent[];
}

/**
 * Moves checkpoints of a session: out of it into the trash, from there back to life in their old place, or to nowhere; of
 * these the blobs become pending removals. Checkpoints that are not where they are moved from are passed over. An audit
 * row `trash`, `restore` or `delete` with the reason is written for each that is moved.
 */
export type Move = {
  readonly sessionId: SessionId;
  readonly checkpoints: readonly CheckpointId[];
  readonly at: Date;
  readonly reason: string;
  readonly agentId?: string | undefined;
  /** Move nothing if the session was used after this, whoever did: what was planned for a session at rest is off then. */
  readonly unlessUsedSince?: Date | undefined;
  /** Pass over what is shielded for longer than `at`. Default `false`: what somebody removes on purpose goes, and its shield with it. */
  readonly sparesShielded?: boolean | undefined;
  /** Of what moves to nowhere nothing may be left: it becomes an erasure too, until it lives again. Default `false`. */
  readonly erases?: boolean | undefined;
} & ({ readonly from: "live"; readonly to: "trash" | "nowhere" } | { readonly from: "trash"; readonly to: "live" | "nowhere" });

/**
 * Forgets sessions that hold nothing, with what is kept of them outside of the catalog: no checkpoint, live or in the trash,
 * and no pending removal. One that is not empty any more, was used after `unusedSince`, or is tagged `keep`, is passed over.
 * An audit row `delete` with the reason `empty` is written for each.
 */
export interface Forgetting {
  readonly sessions: readonly SessionId[];
  readonly unusedSince: Date;
  readonly at: Date;
}

/** Where a catalog contradicts itself. */
export interface Discrepancies {
  /** Sessions whose count or size is not that of their records. */
  readonly sums: readonly SessionId[];
  /** Edges that there should be, because a record names its base. */
  readonly edges: readonly Edge[];
}

export interface Edge {
  readonly dependent: CheckpointId;
  readonly base: CheckpointId;
}

export interface Append {
  readonly record: NewRecord;
  /** Do not append, answer `unchanged`, when the head has this canonical digest. */
  readonly unlessHeadIs: Digest | undefined;
  /** Do not append, answer `conflict`, unless this is the head; `null`: unless there is none. */
  readonly expectedHead: CheckpointId | null | undefined;
  /**
   * Remove the session's oldest workflow checkpoints beyond this many, all counted, but neither the appended one nor any
   * that is tagged `keep`, itself or with its session, or still shielded when the appended one was created. Their blobs become pending removals, and an
   * audit row `prune` is written for each.
   */
  readonly keepNewest: number | undefined;
  /**
   * Make room for an aside among the session's asides as `asidesToRemove` of core decides; what goes is removed as by
   * `keepNewest`. Do not append, answer `asides-full`, where it finds no room.
   */
  readonly asides?: AsideLimit | undefined;
  /** Do not append, answer `over-quota`, when the store would then hold more bytes of blobs than these. */
  readonly quota?: Quota | undefined;
  /** What the session is from the start, when this brings it into being. Absent: as old as the record, without tags and pins. */
  readonly session?: Pick<SessionFacts, "createdAt" | "tags" | "pins"> | undefined;
}

export type CommitOutcome =
  /** All of it was applied. */
  | {
      readonly status: "committed";
      readonly record: CheckpointRecord | undefined;
      /** What `keepNewest` and `asides` removed. */
      readonly removed: readonly CheckpointRecord[];
      /** Those of `shields` that are live, as they are now. */
      readonly shielded: readonly CheckpointRecord[];
      /** What `move` moved, as it was before. */
      readonly moved: readonly CheckpointRecord[];
      /** What `forget` forgot. */
      readonly forgotten: readonly SessionId[];
      /** Of the store, with the appended checkpoint; only where a quota was given. */
      readonly bytes: QuotaUsage | undefined;
    }
  | { readonly status: "unchanged"; readonly head: CheckpointRecord }
  | { readonly status: "conflict"; readonly head: CheckpointRecord | undefined }
  /** The id belongs to another live checkpoint. */
  | { readonly status: "exists"; readonly record: CheckpointRecord }
  /** The id belongs to a checkpoint in the trash. */
  | { readonly status: "in-trash"; readonly record: CheckpointRecord }
  /** Too many of the session's asides are shielded, or their bytes are too many. */
  | { readonly status: "asides-full" }
  /** A quota does not allow it. `bytes` are those without the checkpoint. */
  | { readonly status: "over-quota"; readonly over: keyof Quota; readonly bytes: QuotaUsage }
  /** The blob is gone (garbage collection was faster): put it again. Only catalogs that can see the blobs answer it. */
  | { readonly status: "blob-missing" };

/** What a session's asides may be. */
export interface AsideLimit {
  readonly count: number;
  /** Of their blobs, as stored. */
  readonly bytes: number;
}

/** Bytes of blobs as stored. What is in the trash counts for the store, and not for its session. */
export interface Quota {
  readonly session: number;
  readonly store: number;
}

export type QuotaUsage = Quota;

export interface StoreUsage {
  /** Sessions that hold live checkpoints. */
  readonly sessions: number;
  /** Live ones, the damaged among them. */
  readonly checkpoints: number;
  readonly damaged: number;
  /** Of the live ones' blobs, as stored. */
  readonly liveBytes: number;
  readonly trashed: number;
  readonly trashBytes: number;
  /** Blobs of what was removed that nobody reclaimed yet. */
  readonly pendingRemovals: number;
  /** How many of them others are stored against: they go when nothing needs them any more. */
  readonly neededRemovals: number;
  /** Until when somebody, such as a backup, has nothing be removed; `undefined` while nobody does. */
  readonly removalsHeldUntil: Date | undefined;
  /** How often the catalog was damaged and mended in its place; `undefined`: never, or it is not known. */
  readonly mendings?: number | undefined;
}

export interface ChangeQuery {
  readonly after?: ChangePosition | undefined;
  readonly limit: number;
}

export interface ChangedSession {
  readonly sessionId: SessionId;
  /** Whether checkpoints were added behind all others, and nothing else happened to them. */
  readonly isExtended: boolean;
}

export interface ChangePage {
  /** Each once. */
  readonly sessions: readonly ChangedSession[];
  /** What to continue from. */
  readonly position: ChangePosition;
  readonly hasMore: boolean;
  /** How far the position moved: what changed no session counts too. */
  readonly rows: number;
}

/** Every condition must hold. */
export interface AuditQuery {
  /** Default: all of them. */
  readonly actions?: readonly AuditAction[] | undefined;
  readonly sessionId?: SessionId | undefined;
  readonly checkpointId?: CheckpointId | undefined;
  /** Only rows of exactly this time. */
  readonly at?: Date | undefined;
  /** Only rows of this time or later. */
  readonly since?: Date | undefined;
  /** Only rows of this time or earlier. */
  readonly until?: Date | undefined;
  /** Default: all of them. */
  readonly limit?: number | undefined;
  /** Which come first. Default `newest`. */
  readonly first?: "newest" | "oldest" | undefined;
  /** Continue behind the row with this number, in that order. */
  readonly after?: number | undefined;
}

export interface AuditWalk {
  /** Continue behind this row. Default: from the first row that is left. */
  readonly after?: AuditPlace | undefined;
  readonly limit: number;
}

export interface AuditCheck extends LinkCheck {
  /** How many were looked at: fewer than `limit` when there are no more. */
  readonly rows: number;
  /** The first and the last of these. */
  readonly first: LoggedEvent | undefined;
  readonly last: LoggedEvent | undefined;
  /** Whether it takes the store's key to make a row that follows. */
  readonly isKeyed: boolean;
  /** A row that there must be, and how, by what is noted outside of the catalog; `undefined` where nothing is. */
  readonly noted: AuditPlace | undefined;
}

export interface AuditCut {
  readonly before: Date;
  /** When it is done. */
  readonly at: Date;
  readonly limit: number;
}

export interface SessionQuery {
  /** Sessions with a checkpoint of this project. */
  readonly project?: string | undefined;
  /** Sessions not used after this. */
  readonly unusedSince?: Date | undefined;
  /** Instead of those that hold live checkpoints, those that can be forgotten. Default `false`. */
  readonly empty?: boolean | undefined;
  readonly limit: number;
  /** Continue where a page ended. */
  readonly after?: PageCursor | undefined;
}

export interface SessionPage {
  readonly sessions: readonly Session[];
  /** Absent on the last page. */
  readonly next: PageCursor | undefined;
}

export interface TrashQuery {
  readonly sessionId?: SessionId | undefined;
  /** Only this one. */
  readonly checkpointId?: CheckpointId | undefined;
  readonly limit: number;
  /** Continue where a page ended. */
  readonly after?: PageCursor | undefined;
}

export interface TrashPage {
  readonly entries: readonly TrashedCheckpoint[];
  /** Absent on the last page. */
  readonly next: PageCursor | undefined;
}

export interface TrashedCheckpoint {
  readonly record: CheckpointRecord;
  readonly trashedAt: Date;
}

/** Every condition must hold. Texts compare without regard to case where it says so. */
export interface CheckpointFilter {
  readonly sessionId?: SessionId | undefined;
  /** The id begins with this, in this case. */
  readonly idPrefix?: string | undefined;
  readonly project?: string | undefined;
  /** All but those of this project; those that belong to none are among them. */
  readonly notProject?: string | undefined;
  /** `commonDir` of a `GitState`. With `project`, either will do: what was saved in another worktree counts as the project's. */
  readonly repository?: string | undefined;
  /** Only each session's head. Default `false`. */
  readonly headsOnly?: boolean | undefined;
  /** All of them must be on the checkpoint, or on its session. */
  readonly tags?: readonly string[] | undefined;
  /** Part of the name, without regard to case. */
  readonly name?: string | undefined;
  /** Words, each a part of the name, a tag, the attributes, the workflow or the agent, without regard to case. */
  readonly query?: string | undefined;
  /** Made at this time or later. */
  readonly since?: Date | undefined;
  /** Made at this time or earlier. */
  readonly until?: Date | undefined;
  readonly workflowId?: string | undefined;
  readonly agentId?: string | undefined;
  /** The attribute `phase`: the phase that ended with the checkpoint. */
  readonly phase?: string | undefined;
  /** Absent: all but asides. Of no kind there is none. */
  readonly kinds?: readonly CheckpointKind[] | undefined;
}

export interface CheckpointQuery {
  readonly filter: CheckpointFilter;
  readonly limit: number;
  /** Records to pass over, from the newest. */
  readonly offset: number;
  /** Continue where a page ended, whatever was saved since; `offset` then counts from there. */
  readonly after?: PageCursor | undefined;
}

export interface CheckpointPage {
  readonly records: readonly CheckpointRecord[];
  /** How many match the filter in all. */
  readonly total: number;
  /** Absent on the last page. */
  readonly next: PageCursor | undefined;
}

/** Brings a catalog back from what is kept outside of it. Called with the store locked exclusively. */
export interface CatalogRecovery {
  /**
   * Whether the catalog was lost, and not yet rebuilt: it has never held anything although there are blobs, or it is so
   * damaged that it cannot be read. What it can mend in its place it mends first: what failed may then be tried again.
   */
  needsRebuild(): Promise<boolean>;
  /**
   * Reads through all of the catalog where that is due, or asked for, while other work goes on. When it proves damaged, `needsRebuild`
   * says so from then on. Nothing where a catalog's storage sees to its own health.
   */
  examine(options?: { readonly isDue?: boolean }): Promise<void>;
  /** The facts of every session that has some, read from where they survive the catalog. */
  sessionFacts(): AsyncIterable<SessionFacts>;
  /**
   * Has what is written to the audit log from now on be chained by this digest; `undefined`: by what the catalog chains by of itself. Called
   * before anything is written, by whoever has the key. Absent where a store cannot be sealed.
   */
  chainBy?(digest: AuditDigest | undefined): void;
  /**
   * Puts what `rewriting` makes of them in the place of all records, live or in the trash, of the labels of all sessions, and of the audit
   * log, and of what survives the catalog's loss; all or nothing. Afterwards no file of the catalog holds what was there. Absent where a
   * store cannot be sealed.
   */
  rewrite?(rewriting: Rewriting): Promise<void>;
  /**
   * Replaces everything by these, all or nothing; what was there is kept aside where that is possible.
   * Records come in their order of commit, whatever their times say; `sequence` is given anew from 1 in each session. Those that the facts name as
   * being in the trash go there; their shields hold on; those that they name among the tombstones stay removed, and only tell what their bytes need,
   * for others may still need theirs. Every session counts as used at the time of `audit`: when it was is not known any more,
   * and what is removed for want of use must not go too soon.
   */
  replaceAll(records: readonly NewRecord[], sessions: readonly SessionFacts[], audit: AuditEvent): Promise<void>;
}

/**
 * What becomes of everything that a catalog keeps of what people and agents wrote. What it does not change stays, and so does what it made
 * itself: an interrupted one is done again.
 */
export interface Rewriting {
  readonly record: <R extends NewRecord>(record: R) => R;
  readonly labels: <L extends Pick<SessionFacts, "tags" | "pins">>(labels: L) => L;
  readonly event: (event: AuditEvent) => AuditEvent;
  /** Tells of it, as the last row of the audit log, once; with the reason where the log's chain was broken before, if it was. */
  readonly audit: AuditEvent;
  /** What the audit log was chained by, and is from then on; absent: what the catalog chains by of itself. */
  readonly chained: { readonly from: AuditDigest | undefined; readonly to: AuditDigest | undefined };
}
