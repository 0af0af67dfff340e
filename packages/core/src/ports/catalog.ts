import type { AuditAction, AuditDigest, AuditEvent, AuditPlace, LinkCheck, LoggedEvent } from "../model/audit.ts";
import type { CheckpointKind, CheckpointRecord, NewRecord } from "../model/checkpoint.ts";
import type { BlobRef, ChangePosition, CheckpointId, Digest, PageCursor, SessionId } from "../model/ids.ts";
import type { Session, SessionFacts, Shield } from "../model/session.ts";

/**
 * Holds sessions and the records of their checkpoints, and decides atomically which checkpoint is the head.
 *
 * Each call is one complete operation that a database can do in one transaction or one statement. The sequence orders
 * checkpoints; times never do. Driver failures reject with `STORAGE_UNAVAILABLE`, a lock that times out with `LOCK_TIMEOUT`.
 */
export interface Catalog {
  /**
   * Applies the whole change or none of it, durably before it resolves. Decides `append` against the state inside the transaction.
   * A rejection means that nothing was applied, except when the outcome of the commit itself is unknown: then `details.outcome` is
   * `"unknown"` and the caller must not remove any blob.
   */
  commit(change: CatalogChange): Promise<CommitOutcome>;
  /** Returns a live checkpoint; `undefined` when there is none with this id. */
  find(id: CheckpointId): Promise<CheckpointRecord | undefined>;
  /** Returns the session's checkpoint with the highest sequence. Asides and damaged checkpoints are never the head. */
  head(session: SessionId): Promise<CheckpointRecord | undefined>;
  /** Lists records in the order of their commits, newest first. */
  list(query: CheckpointQuery): Promise<CheckpointPage>;
  /** Returns a session; `undefined` when nothing was ever saved to it. */
  session(id: SessionId): Promise<Session | undefined>;
  /**
   * Replaces the blob of a checkpoint, live or in the trash, with another encoding of the same content. Calls `write` while no
   * commit of any process can interfere, and records the new size, base and key. Resolves with `false`, without calling `write`,
   * when the record no longer equals `expected`, or when `becomes.baseId` is damaged or not live. Clears the damaged mark: the
   * caller vouches for the new bytes. The edge to a new base must be committed beforehand. A crash between `write` and the update
   * of the record is harmless, because the blob itself says how to read it.
   */
  replaceBlob(expected: CheckpointRecord, becomes: StoredForm, write: () => Promise<void>): Promise<boolean>;
  /**
   * Marks a checkpoint as damaged while no commit of any process can interfere, and writes `audit` in the same commit. Resolves
   * with `false`, without calling `putAside`, when the record no longer equals `expected`. Otherwise calls `putAside`, which checks
   * the bytes a last time and moves them away; marks the checkpoint only when `putAside` returns `true`. `putAside` may read the
   * catalog. A crash between the two steps leaves a record without a blob; the next reader of the checkpoint marks it.
   */
  markDamaged(expected: CheckpointRecord, audit: AuditEvent, putAside: () => Promise<boolean>): Promise<boolean>;
  /**
   * Checks the redundant data of the catalog: each session's sums against its records, and the edges against the bases that records
   * name. With `repair`, corrects them durably. Resolves to the discrepancies that were found.
   */
  reconcile(repair: boolean): Promise<Discrepancies>;
  /** Lists sessions that hold live checkpoints, or with `empty` the sessions that hold nothing. Least recently used first. */
  sessions(query: SessionQuery): Promise<SessionPage>;
  /** Lists the checkpoints in the trash, the longest there first. */
  trash(query: TrashQuery): Promise<TrashPage>;
  /** Returns the totals of the whole store. */
  usage(): Promise<StoreUsage>;
  /** Returns rows of the audit log, ordered by number. */
  auditLog(query: AuditQuery): Promise<readonly LoggedEvent[]>;
  /** Verifies the chain of the audit log, at most `limit` rows per call. Commits can go on meanwhile. */
  checkAudit(walk: AuditWalk): Promise<AuditCheck>;
  /**
   * Removes the oldest rows of the audit log: up to the first row that is not older than `before`, and at most `limit` rows. Writes
   * an `audit-cut` row in the same transaction that names the last removed row, so that the rest can still be verified. Resolves to
   * the number of removed rows. Writes nothing when there is nothing to remove.
   */
  cutAudit(cut: AuditCut): Promise<number>;
  /**
   * Lists the sessions in which checkpoints or tags were added or removed since a position, at most `limit` changes per call.
   * Returns `undefined` when the position does not belong to this catalog, for example after a rebuild: then anything may have
   * changed. Without `after`, returns the current position and no sessions.
   */
  changes(query: ChangeQuery): Promise<ChangePage | undefined>;
  /**
   * Removes blobs that no record, live or in the trash, and no edge needs. Calls `remove` for each of these refs while no commit of
   * any process can start to need it, and resolves to the removed refs. They no longer count as pending removals. Without `refs`,
   * takes the pending removals: blobs of removed checkpoints that nobody has reclaimed yet. Removes nothing while a hold is active.
   * `remove` is told which blobs to erase, and may read the catalog.
   */
  reclaim(refs: readonly BlobRef[] | undefined, remove: RemoveBlob): Promise<readonly BlobRef[]>;
  /** Lists unfinished erasures. A move with `erases` starts an erasure; a commit with `erased` ends it. */
  erasures(): Promise<readonly Erasure[]>;
  /**
   * Stops `reclaim` in every process until the given time of the system's clock, so that blobs can be copied safely. The hold of a
   * crashed holder ends at that time. Repeating the call moves the end.
   */
  holdRemovals(holder: string, until: Date): Promise<void>;
  /** Ends a hold. Does nothing when there is no such hold. */
  releaseRemovals(holder: string): Promise<void>;
}

/** @param isToBeErased true when nothing of the blob may remain: use `BlobStore.erase`. */
export type RemoveBlob = (ref: BlobRef, isToBeErased: boolean) => Promise<void>;

/** Removed checkpoint of which nothing may remain. */
export interface Erasure {
  readonly checkpointId: CheckpointId;
  readonly sessionId: SessionId;
  readonly blob: BlobRef;
  /**
   * Edges of checkpoints, live or in the trash, whose delta may be based on the erased checkpoint, directly or through other
   * removed checkpoints. The blob stays until these checkpoints are stored differently and the edges are dropped.
   */
  readonly edges: readonly Edge[];
}

/** The fields of a record that say how the checkpoint's bytes are stored. */
export type StoredForm = Pick<CheckpointRecord, "blobBytes" | "baseId" | "keyId">;

/** Changes that one commit applies. One commit either appends or moves. */
export type CatalogChange = CommonChange &
  ({ readonly append?: Append; readonly move?: never } | { readonly append?: never; readonly move?: Move });

/** Parts of a change that go with an append and with a move. */
interface CommonChange {
  /** Entries to pin or to unpin in a session. Pinning twice, or unpinning an entry that is not pinned, changes nothing. */
  readonly pins?: { readonly sessionId: SessionId; readonly pin: readonly string[]; readonly release: readonly string[] };
  /** Tags to add to a session, or to remove from it. */
  readonly tags?: { readonly sessionId: SessionId; readonly add: readonly string[]; readonly remove: readonly string[] };
  /** Checkpoints whose erasure is complete. */
  readonly erased?: readonly CheckpointId[];
  readonly forget?: Forgetting;
  /**
   * Edges "dependent needs the bytes of base". They are a superset of the real dependencies: add an edge before replacing a blob,
   * drop it afterwards. An edge whose dependent is not live is not added, because nothing would ever drop it.
   */
  readonly edges?: { readonly add: readonly Edge[]; readonly drop: readonly Edge[] };
  /**
   * Shields for live checkpoints, including the appended one, against automatic removal. A shield is only ever extended. Unknown
   * checkpoints and those in the trash are skipped; `shielded` of the outcome lists the others.
   */
  readonly shields?: readonly Shield[];
  /** Loads since the last commit. Unknown checkpoints are skipped. */
  readonly accesses?: readonly { readonly checkpointId: CheckpointId; readonly at: Date }[];
  /**
   * Audit rows written in the same transaction as the change, and only if the change is applied. Each is chained to the row before
   * it.
   */
  readonly audit: readonly AuditEvent[];
}

/**
 * Moves checkpoints of one session: to the trash, from the trash back to their old place, or to nowhere (removal). The blobs of
 * removed checkpoints become pending removals. Checkpoints that are not in `from` are skipped. Writes one audit row `trash`,
 * `restore` or `delete` with the reason for each moved checkpoint.
 */
export type Move = {
  readonly sessionId: SessionId;
  readonly checkpoints: readonly CheckpointId[];
  readonly at: Date;
  readonly reason: string;
  readonly agentId?: string | undefined;
  /** Moves nothing if anybody used the session after this time: a plan made for an idle session is then void. */
  readonly unlessUsedSince?: Date | undefined;
  /** Skips checkpoints that are shielded for longer than `at`. Default `false`: a deliberate removal also removes the shield. */
  readonly sparesShielded?: boolean | undefined;
  /** Makes checkpoints that move to nowhere erasures too, unless they become live again. Default `false`. */
  readonly erases?: boolean | undefined;
} & ({ readonly from: "live"; readonly to: "trash" | "nowhere" } | { readonly from: "trash"; readonly to: "live" | "nowhere" });

/**
 * Forgets empty sessions, including everything kept about them outside of the catalog. A session is empty when it has no
 * checkpoint, live or in the trash, and no pending removal. A session that is no longer empty, was used after `unusedSince`, or
 * is tagged `keep` is skipped. Writes one audit row `delete` with the reason `empty` for each.
 */
export interface Forgetting {
  readonly sessions: readonly SessionId[];
  readonly unusedSince: Date;
  readonly at: Date;
}

/** Contradictions inside a catalog. */
export interface Discrepancies {
  /** Sessions whose stored count or size differs from the sum of their records. */
  readonly sums: readonly SessionId[];
  /** Missing edges: a record names the base, but the edge is not there. */
  readonly edges: readonly Edge[];
}

export interface Edge {
  readonly dependent: CheckpointId;
  readonly base: CheckpointId;
}

export interface Append {
  readonly record: NewRecord;
  /** Appends nothing and answers `unchanged` when the head has this canonical digest. */
  readonly unlessHeadIs: Digest | undefined;
  /** Appends nothing and answers `conflict` unless this is the head. `null` expects that there is no head. */
  readonly expectedHead: CheckpointId | null | undefined;
  /**
   * Removes the session's oldest workflow checkpoints beyond this number. All count, but the appended one is never removed, nor one
   * that is tagged `keep` (itself or through its session), nor one still shielded at the creation time of the appended one. The
   * blobs become pending removals; writes one audit row `prune` for each.
   */
  readonly keepNewest: number | undefined;
  /**
   * Makes room for an aside among the session's asides, as `asidesToRemove` of core decides. Removes as `keepNewest` does. Appends
   * nothing and answers `asides-full` when there is no room.
   */
  readonly asides?: AsideLimit | undefined;
  /** Appends nothing and answers `over-quota` when the append would exceed these bytes of blobs. */
  readonly quota?: Quota | undefined;
  /** Initial facts of a session that this append creates. Absent: creation time of the record, no tags, no pins. */
  readonly session?: Pick<SessionFacts, "createdAt" | "tags" | "pins"> | undefined;
}

export type CommitOutcome =
  /** The whole change was applied. */
  | {
      readonly status: "committed";
      readonly record: CheckpointRecord | undefined;
      /** Records that `keepNewest` and `asides` removed. */
      readonly removed: readonly CheckpointRecord[];
      /** Live checkpoints named in `shields`, with their current records. */
      readonly shielded: readonly CheckpointRecord[];
      /** Records that `move` moved, as they were before. */
      readonly moved: readonly CheckpointRecord[];
      /** Sessions that `forget` forgot. */
      readonly forgotten: readonly SessionId[];
      /** Bytes of the session and the store, including the appended checkpoint. Only present when a quota was given. */
      readonly bytes: QuotaUsage | undefined;
    }
  | { readonly status: "unchanged"; readonly head: CheckpointRecord }
  | { readonly status: "conflict"; readonly head: CheckpointRecord | undefined }
  /** The id belongs to another live checkpoint. */
  | { readonly status: "exists"; readonly record: CheckpointRecord }
  /** The id belongs to a checkpoint in the trash. */
  | { readonly status: "in-trash"; readonly record: CheckpointRecord }
  /** Too many of the session's asides are shielded, or their bytes exceed the limit. */
  | { readonly status: "asides-full" }
  /** A quota was exceeded. `bytes` does not include the checkpoint. */
  | { readonly status: "over-quota"; readonly over: keyof Quota; readonly bytes: QuotaUsage }
  /** Garbage collection removed the blob in the meantime: put it again. Only catalogs that can see the blobs answer this. */
  | { readonly status: "blob-missing" };

/** Limits on a session's asides. */
export interface AsideLimit {
  readonly count: number;
  /** Bytes of their blobs as stored. */
  readonly bytes: number;
}

/** Bytes of blobs as stored. The trash counts for the store but not for its session. */
export interface Quota {
  readonly session: number;
  readonly store: number;
}

export type QuotaUsage = Quota;

export interface StoreUsage {
  /** Sessions that hold live checkpoints. */
  readonly sessions: number;
  /** Live checkpoints, including damaged ones. */
  readonly checkpoints: number;
  readonly damaged: number;
  /** Bytes of the live checkpoints' blobs as stored. */
  readonly liveBytes: number;
  readonly trashed: number;
  readonly trashBytes: number;
  /** Blobs of removed checkpoints that nobody has reclaimed yet. */
  readonly pendingRemovals: number;
  /** Pending removals that another delta still needs. They are reclaimed once nothing needs them. */
  readonly neededRemovals: number;
  /** End of the current hold, for example of a backup; `undefined` without a hold. */
  readonly removalsHeldUntil: Date | undefined;
  /** How often a damaged catalog was repaired in place; `undefined` when never, or when unknown. */
  readonly mendings?: number | undefined;
}

export interface ChangeQuery {
  readonly after?: ChangePosition | undefined;
  readonly limit: number;
}

export interface ChangedSession {
  readonly sessionId: SessionId;
  /** True when the only change was that checkpoints were added at the end. */
  readonly isExtended: boolean;
}

export interface ChangePage {
  /** Each session once. */
  readonly sessions: readonly ChangedSession[];
  /** Position to continue from. */
  readonly position: ChangePosition;
  readonly hasMore: boolean;
  /** How far the position moved. Rows that changed no session count too. */
  readonly rows: number;
}

/** Every condition must hold. */
export interface AuditQuery {
  /** Default: all actions. */
  readonly actions?: readonly AuditAction[] | undefined;
  readonly sessionId?: SessionId | undefined;
  readonly checkpointId?: CheckpointId | undefined;
  /** Only rows with exactly this time. */
  readonly at?: Date | undefined;
  /** Only rows at this time or later. */
  readonly since?: Date | undefined;
  /** Only rows at this time or earlier. */
  readonly until?: Date | undefined;
  /** Default: no limit. */
  readonly limit?: number | undefined;
  /** Order of the rows. Default `newest` first. */
  readonly first?: "newest" | "oldest" | undefined;
  /** Continue after the row with this number, in the same order. */
  readonly after?: number | undefined;
}

export interface AuditWalk {
  /** Continue after this row. Default: from the first remaining row. */
  readonly after?: AuditPlace | undefined;
  readonly limit: number;
}

export interface AuditCheck extends LinkCheck {
  /** Number of rows examined. Fewer than `limit` means the end of the log. */
  readonly rows: number;
  /** First and last of the examined rows. */
  readonly first: LoggedEvent | undefined;
  readonly last: LoggedEvent | undefined;
  /** True when only a holder of the store's key can make a valid next row. */
  readonly isKeyed: boolean;
  /** Row that must exist according to a note outside of the catalog; `undefined` without such a note. */
  readonly noted: AuditPlace | undefined;
}

export interface AuditCut {
  readonly before: Date;
  /** Time of the cut. */
  readonly at: Date;
  readonly limit: number;
}

export interface SessionQuery {
  /** Only sessions with a checkpoint of this project. */
  readonly project?: string | undefined;
  /** Only sessions not used after this time. */
  readonly unusedSince?: Date | undefined;
  /** True: only sessions that can be forgotten, instead of sessions with live checkpoints. Default `false`. */
  readonly empty?: boolean | undefined;
  readonly limit: number;
  /** Continue after this page. */
  readonly after?: PageCursor | undefined;
}

export interface SessionPage {
  readonly sessions: readonly Session[];
  /** Absent on the last page. */
  readonly next: PageCursor | undefined;
}

export interface TrashQuery {
  readonly sessionId?: SessionId | undefined;
  /** Only this checkpoint. */
  readonly checkpointId?: CheckpointId | undefined;
  readonly limit: number;
  /** Continue after this page. */
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

/** Every condition must hold. Text comparison ignores case only where stated. */
export interface CheckpointFilter {
  readonly sessionId?: SessionId | undefined;
  /** Prefix of the id, case-sensitive. */
  readonly idPrefix?: string | undefined;
  readonly project?: string | undefined;
  /** All checkpoints except those of this project. Checkpoints without a project are included. */
  readonly notProject?: string | undefined;
  /**
   * `commonDir` of a `GitState`. Together with `project`, either match suffices: a checkpoint saved in another worktree belongs to
   * the project.
   */
  readonly repository?: string | undefined;
  /** Only the head of each session. Default `false`. */
  readonly headsOnly?: boolean | undefined;
  /** All of these tags must be on the checkpoint or on its session. */
  readonly tags?: readonly string[] | undefined;
  /** Part of the name, ignoring case. */
  readonly name?: string | undefined;
  /** Words, each of which must be part of the name, a tag, the attributes, the workflow or the agent, ignoring case. */
  readonly query?: string | undefined;
  /** Created at this time or later. */
  readonly since?: Date | undefined;
  /** Created at this time or earlier. */
  readonly until?: Date | undefined;
  readonly workflowId?: string | undefined;
  readonly agentId?: string | undefined;
  /** Value of the attribute `phase`: the phase that ended with the checkpoint. */
  readonly phase?: string | undefined;
  /** Absent: all kinds except asides. An empty list matches nothing. */
  readonly kinds?: readonly CheckpointKind[] | undefined;
}

export interface CheckpointQuery {
  readonly filter: CheckpointFilter;
  readonly limit: number;
  /** Records to skip, from the newest. */
  readonly offset: number;
  /** Continue after this page, regardless of later saves. `offset` then counts from there. */
  readonly after?: PageCursor | undefined;
}

export interface CheckpointPage {
  readonly records: readonly CheckpointRecord[];
  /** Number of all records that match the filter. */
  readonly total: number;
  /** Absent on the last page. */
  readonly next: PageCursor | undefined;
}

/** Restores a catalog from data kept outside of it. Called with the store locked exclusively. */
export interface CatalogRecovery {
  /**
   * True when the catalog is lost and not yet rebuilt: it never held anything although there are blobs, or it is too damaged to be
   * read. First repairs what it can in place; the failed operation may then be retried.
   */
  needsRebuild(): Promise<boolean>;
  /**
   * Reads through the whole catalog when this is due or requested, while other work goes on. If the catalog proves damaged,
   * `needsRebuild` returns true from then on. No-op where the catalog's storage checks itself.
   */
  examine(options?: { readonly isDue?: boolean }): Promise<void>;
  /** Reads the facts of every session that has some, from where they survive the loss of the catalog. */
  sessionFacts(): AsyncIterable<SessionFacts>;
  /**
   * Replaces the whole content of the catalog, all or nothing, and keeps the old content aside where possible. Records come in the
   * order of their commits, regardless of their times; `sequence` restarts at 1 in each session. Checkpoints that the facts list as
   * trash go to the trash; shields remain. Checkpoints listed as tombstones stay removed; their records only tell which bases their
   * bytes need, because other checkpoints may still need those bytes. Every session counts as used at the time of `audit`: the real
   * time is lost, and sessions must not be removed too early for lack of use.
   */
  replaceAll(records: readonly NewRecord[], sessions: readonly SessionFacts[], audit: AuditEvent): Promise<void>;
}

/**
 * Transformation of all text that people and agents wrote into a catalog. Text that it does not change stays, and so does text
 * that it made itself: an interrupted rewriting can be repeated.
 */
export interface Rewriting {
  readonly record: <R extends NewRecord>(record: R) => R;
  readonly labels: <L extends Pick<SessionFacts, "tags" | "pins">>(labels: L) => L;
  readonly event: (event: AuditEvent) => AuditEvent;
  /** Last row of the audit log, written once. Its reason says where the chain was broken before, if it was. */
  readonly audit: AuditEvent;
  /** Digests that chained the audit log before, and that chain it from now on; `undefined` is the catalog's own digest. */
  readonly chained: { readonly from: AuditDigest | undefined; readonly to: AuditDigest | undefined };
}
