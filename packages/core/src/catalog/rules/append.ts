import { type AsideLimit, asidesToRemove } from "../asides.ts";
import type { AuditEvent } from "../../model/audit.ts";
import type { CheckpointRecord, NewRecord } from "../../model/checkpoint.ts";
import type { CheckpointId, Digest, SessionId } from "../../model/ids.ts";
import { KEEP_TAG, type SessionFacts } from "../../model/session.ts";
import { ALL, type Facts, headOf, type Place, type Reads, sideRecordsOf } from "../reads.ts";
import { changed, type CheckpointRow, later, less, liveIn, more, removalOf, type SessionRow } from "../rows.ts";
import { type BlobChange, type Decision, nothing, type Rule, rule } from "../rule.ts";
import { sameJson } from "../../delta/same-json.ts";
import { ownerOf } from "../../model/side-record.ts";

export interface Append {
  readonly record: NewRecord;
  /** Appends nothing and answers `unchanged` when the head has this canonical digest. */
  readonly unlessHeadIs: Digest | undefined;
  /** Appends nothing and answers `conflict` unless this is the head. `null` expects that there is no head. */
  readonly expectedHead: CheckpointId | null | undefined;
  /** Appends nothing and answers `moved` unless this is the head, and these are the session's pins. */
  readonly preparedFor?: { readonly head: CheckpointRecord; readonly pins: readonly string[] } | undefined;
  /**
   * Removes the session's oldest workflow checkpoints beyond this number, with their side records. All count, but the appended one is never removed, nor one
   * that is tagged `keep` (itself or through its session), nor one still shielded at the creation time of the appended one. The
   * blobs become pending removals; writes one audit row `prune` for each.
   */
  readonly keepNewest: number | undefined;
  /** The session as read before: at its limit, what a removal needs is read in the first step. Default: in a further step, if it is needed. */
  readonly seen?: SessionRow | undefined;
  /**
   * Makes room for an aside among the session's asides, as `asidesToRemove` of core decides. Removes as `keepNewest` does. Appends
   * nothing and answers `asides-full` when there is no room.
   */
  readonly asides?: AsideLimit | undefined;
  /** Appends nothing and answers `over-quota` when the append would exceed these bytes of blobs. */
  readonly quota?: Quota | undefined;
  /** Shields the appended checkpoint until this time. Default: no shield. */
  readonly shieldedUntil?: Date | undefined;
  /** Appends nothing and answers `owner-missing` unless this checkpoint is live: the appended one holds side records of it. */
  readonly owner?: CheckpointId | undefined;
  /** Audit rows of the caller, behind those of the removals. Default: none. */
  readonly audit?: readonly AuditEvent[] | undefined;
  /** Initial facts of a session that this append creates. Absent: creation time of the record, no tags, no pins. */
  readonly session?: Pick<SessionFacts, "createdAt" | "tags" | "pins"> | undefined;
}

/** An append that may put its blob. It is a change of its own: a rule that changes blobs cannot be one of several. */
export interface AppendWithBlob extends Append {
  /**
   * Puts the blob as a part of the change, for stores whose blobs share its transaction. When it resolves to `false`, nothing is
   * appended and the answer is `blob-missing`. Absent: the blob was put before.
   */
  readonly put?: BlobChange | undefined;
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
  /** The session has another head, or other pins, than the checkpoint was prepared for. */
  | { readonly status: "moved" }
  /** The id belongs to another live checkpoint. */
  | { readonly status: "exists"; readonly record: CheckpointRecord }
  /** The id belongs to a checkpoint in the trash. */
  | { readonly status: "in-trash"; readonly record: CheckpointRecord }
  /** The owner of side records is not live. */
  | { readonly status: "owner-missing" }
  /** Too many of the session's asides are shielded, or their bytes exceed the limit. */
  | { readonly status: "asides-full" }
  /** A quota was exceeded. `bytes` does not include the checkpoint. */
  | { readonly status: "over-quota"; readonly over: keyof Quota; readonly bytes: QuotaUsage }
  /** Garbage collection removed the blob in the meantime: put it again. Only catalogs that can see the blobs answer this. */
  | { readonly status: "blob-missing" };

/** Bytes of blobs as stored. The trash counts for the store but not for its session. */
export interface Quota {
  readonly session: number;
  readonly store: number;
}

export type QuotaUsage = Quota;

/** Appends a checkpoint to its session and removes the checkpoints beyond the limits, or says why it does not. */
export function append(given: AppendWithBlob): Rule<CommitOutcome> {
  const { record, keepNewest } = given;
  // In a session at its limit, one more checkpoint means that one has to go.
  const usual = pruneReads(given, 1);
  return rule({
    reads: appendReads(given),
    ahead: mostBeyond(given, given.seen) > 0 ? Object.values(usual) : [],
    blobsAhead: given.put,
    decide(facts): Decision<CommitOutcome> | Rule<CommitOutcome> {
      const { session } = facts;
      const bytes: QuotaUsage = { session: session?.totalBytes ?? 0, store: facts.bytes };
      const refusal = refuse(given, facts, bytes);
      if (refusal !== undefined) return nothing(refusal);
      const asides = asidesGoing(given, facts);
      const excess = mostBeyond(given, session);
      if (asides.length === 0 && excess === 0) return appended({ given, facts, bytes, removed: [], first: [] });
      return rule({
        reads: excess === 1 ? usual : pruneReads(given, excess),
        decide({ workflows, free, first }) {
          const counted = workflows + (record.kind === "workflow" ? 1 : 0);
          const pruned = free.slice(0, Math.max(0, counted - (keepNewest ?? ALL)));
          if (pruned.length === 0 || (session?.asideCount ?? 0) === 0)
            return appended({ given, facts, bytes, removed: [...pruned, ...asides], first });
          const { sessionId } = record;
          return rule({
            reads: { records: sideRecordsOf(sessionId, "live", idsOf(pruned)) },
            decide: ({ records }) => appended({ given, facts, bytes, removed: [...pruned, ...records, ...asides], first }),
          });
        },
      });
    },
  });
}

function appendReads({ record: { id, sessionId, blob }, asides, owner }: Append) {
  return {
    // Read only for side records: every save waits for these reads.
    ...(owner === undefined ? {} : { owner: { of: "checkpoint", id: owner } as const }),
    session: { of: "session", id: sessionId },
    existing: { of: "checkpoint", id },
    head: headOf(sessionId),
    bytes: { of: "bytes" },
    removals: { of: "removals", blobs: [blob] },
    erasures: { of: "erasures", blobs: [blob] },
    hasBlob: { of: "blob", ref: blob },
    asides: {
      of: "checkpoints",
      where: { state: "live", sessionId, kinds: ["aside"], notId: id },
      order: "oldest",
      limit: asides === undefined ? 0 : ALL,
    },
  } as const satisfies Reads;
}

type AppendFacts = Facts<ReturnType<typeof appendReads>>;

/** `excess`: at least the number of checkpoints that must go. */
function pruneReads({ record: { id, sessionId, createdAt } }: Append, excess: number) {
  const where = { state: "live", sessionId, kinds: ["workflow"] } as const;
  const free = { ...where, notId: id, withoutTag: KEEP_TAG, unshieldedAt: createdAt };
  return {
    workflows: { of: "count", where },
    free: { of: "checkpoints", where: free, order: "oldest", limit: excess },
    first: { of: "places", where, order: "oldest", limit: excess + 1 },
  } as const satisfies Reads;
}

/** Returns the reason why the append must not be. The order of the reasons is part of the contract. */
function refuse(given: AppendWithBlob, facts: AppendFacts, bytes: QuotaUsage) {
  const { record, expectedHead, preparedFor, unlessHeadIs, asides, quota, owner, put } = given;
  const { existing, session } = facts;
  const head = facts.head[0]?.record;
  if (preparedFor !== undefined && !(isSameSave(preparedFor.head, head) && sameJson(preparedFor.pins, session?.pins ?? []))) {
    return { status: "moved" } satisfies CommitOutcome;
  }
  if (existing !== undefined) {
    return { status: existing.trashedAt === undefined ? "exists" : "in-trash", record: existing.record } satisfies CommitOutcome;
  }
  if (expectedHead !== undefined && (head?.id ?? null) !== expectedHead) return { status: "conflict", head } satisfies CommitOutcome;
  if (head !== undefined && head.canonicalDigest === unlessHeadIs) return { status: "unchanged", head } satisfies CommitOutcome;
  if (owner !== undefined && liveIn(facts.owner) === undefined) return { status: "owner-missing" } satisfies CommitOutcome;
  if (put === undefined && !facts.hasBlob) return { status: "blob-missing" } satisfies CommitOutcome;
  const hasRoom = asides === undefined || asidesToRemove(freeStanding(facts), record, asides) !== undefined;
  if (!hasRoom) return { status: "asides-full" } satisfies CommitOutcome;
  const over = quota && (["session", "store"] as const).find((limit) => bytes[limit] + record.blobBytes > quota[limit]);
  return over === undefined ? undefined : ({ status: "over-quota", over, bytes } satisfies CommitOutcome);
}

/** A removed checkpoint may have been saved again under its id, with other content or labels. */
function isSameSave(one: CheckpointRecord, other: CheckpointRecord | undefined): boolean {
  if (one.id !== other?.id || one.exactDigest !== other.exactDigest || one.project !== other.project) return false;
  return one.createdAt.getTime() === other.createdAt.getTime() && sameJson(one.attributes, other.attributes);
}

function asidesGoing({ asides: limit, record }: Append, { asides }: AppendFacts): readonly CheckpointRow[] {
  const going = limit === undefined ? [] : (asidesToRemove(freeStanding({ asides }), record, limit) ?? []);
  return going.flatMap(({ id }) => asides.filter((row) => row.record.id === id));
}

/** Returns the number of checkpoints beyond the limit, if all of the session were workflow checkpoints. */
function mostBeyond({ keepNewest = ALL }: Append, session: SessionRow | undefined): number {
  return session?.tags.includes(KEEP_TAG) === true ? 0 : Math.max(0, (session?.checkpointCount ?? 0) + 1 - keepNewest);
}

interface Appending {
  readonly given: AppendWithBlob;
  readonly facts: AppendFacts;
  readonly bytes: QuotaUsage;
  readonly removed: readonly CheckpointRow[];
  /** The oldest workflow checkpoints, more of them than go. */
  readonly first: readonly Place[];
}

function appended({ given, facts, bytes, removed, first }: Appending): Decision<CommitOutcome> {
  const { record: added, quota, shieldedUntil, put } = given;
  const { sessionId, createdAt: at, agentId } = added;
  const session = facts.session ?? begun(given);
  const sequence = session.lastSequence + 1;
  const record: CheckpointRecord = { ...added, sequence, lastAccessedAt: at, damaged: false, shieldedUntil };
  const now: SessionRow = {
    ...less(more(session, record), removed),
    lastSequence: sequence,
    lastAccessedAt: later(session.lastAccessedAt, at),
    oldestLive: removed.length === 0 ? session.oldestLive : oldestOf(record, first, removed),
  };
  const change = removed.reduce((sum, row) => sum - row.record.blobBytes, added.blobBytes);
  return {
    outcome: {
      status: "committed",
      record,
      removed: recordsOf(removed),
      shielded: [],
      moved: [],
      forgotten: [],
      bytes: quota === undefined ? undefined : { session: bytes.session + change, store: bytes.store + change },
    },
    rows: [
      changed("session", facts.session, now),
      // A removed id that lives again has neither a tombstone nor a pending removal of its blob.
      ...facts.removals.map((removal) => changed("removal", removal, undefined)),
      ...facts.erasures.map((erasure) => changed("erasure", erasure, undefined)),
      changed("checkpoint", undefined, { commit: undefined, record, trashedAt: undefined }),
      ...removed.flatMap((row) => [changed("checkpoint", row, undefined), changed("removal", undefined, removalOf(row.record))]),
    ],
    audit: [
      ...removed.map(({ record: { id: checkpointId } }): AuditEvent => ({ at, action: "prune", sessionId, checkpointId, agentId })),
      ...(given.audit ?? []),
    ],
    touched: touchedBy(record, facts, removed),
    blobs: put,
    withdrawn: { status: "blob-missing" },
  };
}

/**
 * Session facts list tombstones, erasures, shields and the oldest live checkpoint. Those of an empty session may be missing: its forgetting
 * may have been interrupted between their removal and the commit.
 */
function touchedBy(added: CheckpointRecord, facts: AppendFacts, removed: readonly CheckpointRow[]): readonly SessionId[] {
  const { session, removals, erasures } = facts;
  const isEmpty = session === undefined || session.checkpointCount + session.asideCount === 0;
  const isTouched = isEmpty || added.shieldedUntil !== undefined || removals.length + removed.length > 0;
  return [...(isTouched ? [added.sessionId] : []), ...erasures.map(({ sessionId }) => sessionId)];
}

function begun({ record: { sessionId: id, createdAt: at }, session: begins }: Append): SessionRow {
  const { createdAt = at, tags = [], pins = [] } = begins ?? {};
  const counts = { lastSequence: 0, checkpointCount: 0, asideCount: 0, totalBytes: 0 };
  return { id, createdAt, lastAccessedAt: at, tags, pins, oldestLive: null, ...counts };
}

function oldestOf({ id, kind }: CheckpointRecord, first: readonly Place[], removed: readonly CheckpointRow[]): SessionRow["oldestLive"] {
  const gone = new Set(removed.map(({ record }) => record.id));
  return first.find((place) => !gone.has(place.id))?.id ?? (kind === "workflow" ? id : null);
}

/** Side records go with their checkpoints, and do not count. */
function freeStanding({ asides }: Pick<AppendFacts, "asides">): readonly CheckpointRecord[] {
  return recordsOf(asides).filter((record) => ownerOf(record) === undefined);
}

function idsOf(rows: readonly CheckpointRow[]): readonly CheckpointId[] {
  return rows.map(({ record }) => record.id);
}

function recordsOf(rows: readonly CheckpointRow[]): readonly CheckpointRecord[] {
  return rows.map(({ record }) => record);
}
