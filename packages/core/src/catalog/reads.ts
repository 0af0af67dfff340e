import type { AttributeFilter } from "../model/attribute-filter.ts";
import type { AuditAction, AuditPlace, LoggedEvent } from "../model/audit.ts";
import type { CheckpointKind } from "../model/checkpoint.ts";
import type { BlobRef, CheckpointId, SessionId } from "../model/ids.ts";
import type { Change, CheckpointRow, Edge, ErasureRow, HoldRow, RemovalRow, SessionRow } from "./rows.ts";
import { recordTag } from "../model/side-record.ts";

/** Every condition must hold. */
export interface AuditQuery {
  /** Default: all actions. */
  readonly actions?: readonly AuditAction[] | undefined;
  readonly sessionId?: SessionId | undefined;
  /** Only rows about one of these checkpoints. */
  readonly checkpointIds?: readonly CheckpointId[] | undefined;
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

/** Conditions on checkpoints that a caller names, all of which must hold. Text comparison ignores case only where stated. */
export interface NamedConditions {
  readonly sessionId?: SessionId | undefined;
  /** Prefix of the id, case-sensitive. */
  readonly idPrefix?: string | undefined;
  readonly project?: string | undefined;
  /** All checkpoints of other projects. Checkpoints without a project are included. */
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
  /** Created at this time or later. */
  readonly since?: Date | undefined;
  /** Created at this time or earlier. */
  readonly until?: Date | undefined;
  readonly workflowId?: string | undefined;
  readonly agentId?: string | undefined;
  /** Attributes that the checkpoint must have, each with exactly this value. */
  readonly attributes?: AttributeFilter | undefined;
  /** Value of the attribute `phase`: the phase that ended with the checkpoint. */
  readonly phase?: string | undefined;
}

/** Conditions of a read on checkpoints. Each is a plain comparison with a value that the rule supplies. */
export interface Where extends NamedConditions {
  readonly state: "live" | "trash" | "any";
  readonly ids?: readonly CheckpointId[] | undefined;
  readonly notId?: CheckpointId | undefined;
  readonly blobs?: readonly BlobRef[] | undefined;
  readonly kinds?: readonly CheckpointKind[] | undefined;
  readonly notKinds?: readonly CheckpointKind[] | undefined;
  readonly damaged?: boolean | undefined;
  /** Checkpoints that have one of these tags themselves. */
  readonly ownTags?: readonly string[] | undefined;
  /** Checkpoints that do not have this tag themselves. */
  readonly withoutTag?: string | undefined;
  /** Checkpoints with no shield that lasts longer than this time. */
  readonly unshieldedAt?: Date | undefined;
  /** Checkpoints that ever got a shield. */
  readonly isShielded?: true | undefined;
  /** Each word is part of the name, a tag, the attributes, the workflow or the agent, ignoring case. */
  readonly words?: readonly string[] | undefined;
}

/** Conditions on sessions, all of which must hold. */
export interface SessionWhere {
  /** `live`: with a live checkpoint. `nothing`: without any checkpoint or pending removal. Absent: every session. */
  readonly has?: "live" | "nothing" | undefined;
  /** With a live checkpoint of this project. */
  readonly project?: string | undefined;
  /** Not used after this time. */
  readonly unusedSince?: Date | undefined;
  readonly withoutTag?: string | undefined;
}

/** Place of a row in an order by a time, then by an id. */
export type TimedPlace = readonly [at: Date, id: string];

export interface Select {
  readonly of: "checkpoints";
  readonly where: Where;
  /** By sequence within a session, else by commit. `trashed`: by the time of the move, then by id. `any`: in any order. */
  readonly order: "newest" | "oldest" | "trashed" | "any";
  readonly limit: number;
  readonly offset?: number | undefined;
  /** Continues after this sequence or commit, or in the order `trashed` after this time and id. */
  readonly after?: number | TimedPlace | undefined;
}

/** Selects ids and sequences alone. */
export interface SelectPlaces {
  readonly of: "places";
  readonly where: Where;
  readonly order: "newest" | "oldest" | "any";
  readonly limit: number;
  /** Continues after this sequence or commit. */
  readonly after?: number | undefined;
}

export interface Place {
  readonly id: CheckpointId;
  readonly sequence: number;
}

/** Selects sessions, the least recently used first, then by id. */
export interface SelectSessions {
  readonly of: "sessions";
  readonly where: SessionWhere;
  readonly limit: number;
  readonly after?: TimedPlace | undefined;
}

/** Conditions on removals, all of which must hold. */
export interface SelectRemovals {
  readonly of: "removals";
  readonly blobs?: readonly BlobRef[] | undefined;
  readonly sessionId?: SessionId | undefined;
  readonly isDone?: false | undefined;
  /** Only removals that no edge names as its base. */
  readonly isNoBase?: true | undefined;
  readonly limit?: number | undefined;
}

/** Conditions on erasures, all of which must hold. */
export interface SelectErasures {
  readonly of: "erasures";
  readonly blobs?: readonly BlobRef[] | undefined;
  readonly checkpointId?: CheckpointId | undefined;
  readonly sessionId?: SessionId | undefined;
}

/** Question about a catalog. An answer is rows or numbers, never a decision. */
export type Read =
  /** Checkpoint, live or in the trash. */
  | { readonly of: "checkpoint"; readonly id: CheckpointId }
  | Select
  | SelectPlaces
  | { readonly of: "count"; readonly where: Where }
  | { readonly of: "session"; readonly id: SessionId }
  | SelectSessions
  /** Edges with one of these dependents, and with one of these bases. */
  | {
      readonly of: "edges";
      readonly dependents?: readonly CheckpointId[] | undefined;
      readonly bases?: readonly CheckpointId[] | undefined;
      /** Sessions of the dependents, for an adapter that cannot find edges by their dependent. No condition. */
      readonly sessionIds?: readonly SessionId[] | undefined;
    }
  | SelectRemovals
  | SelectErasures
  | { readonly of: "holds" }
  | { readonly of: "bytes" }
  | { readonly of: "totals" }
  | { readonly of: "audit"; readonly query: AuditQuery }
  | { readonly of: "mark" }
  | { readonly of: "blob"; readonly ref: BlobRef }
  | { readonly of: "contradictions" };

/** Session as a listing shows it. */
export interface ListedSession extends SessionRow {
  readonly damagedCount: number;
}

/** Redundant data that the rows do not bear out. */
export interface Contradictions {
  readonly sums: readonly Required<Change<SessionRow>>[];
  /** Missing edges: a record names the base. */
  readonly edges: readonly Edge[];
}

/** Sums over the whole catalog. */
export interface Totals {
  /** Sessions that hold live checkpoints. */
  readonly sessions: number;
  /** Live checkpoints, including damaged ones. */
  readonly checkpoints: number;
  readonly damaged: number;
  /** Bytes of the live checkpoints' blobs as stored. */
  readonly liveBytes: number;
  readonly trashed: number;
  readonly trashBytes: number;
  /** Blobs of removed checkpoints that are not reclaimed yet. */
  readonly pendingRemovals: number;
  /** Pending removals that another delta still needs. They are reclaimed once nothing needs them. */
  readonly neededRemovals: number;
  /** Number of repairs of a damaged catalog in place; `undefined` when none, or when unknown. */
  readonly mendings?: number | undefined;
}

/** Type of the answer to each kind of read. */
export interface Answers {
  readonly checkpoint: CheckpointRow | undefined;
  readonly checkpoints: readonly CheckpointRow[];
  readonly places: readonly Place[];
  readonly count: number;
  readonly session: SessionRow | undefined;
  readonly sessions: readonly ListedSession[];
  readonly edges: readonly Edge[];
  readonly removals: readonly RemovalRow[];
  readonly erasures: readonly ErasureRow[];
  readonly holds: readonly HoldRow[];
  /** Bytes of all blobs, the trash included. */
  readonly bytes: number;
  readonly totals: Totals;
  readonly audit: readonly LoggedEvent[];
  /** Last row of the audit log according to a note outside of the catalog. */
  readonly mark: AuditPlace | undefined;
  /** True where the catalog cannot see blobs. */
  readonly blob: boolean;
  readonly contradictions: Contradictions;
}

/** Named reads of one step. */
export interface Reads {
  readonly [name: string]: Read;
}

/** Answers to named reads. A read that a rule leaves out has none. */
export type Facts<R extends Reads> = { readonly [K in keyof R]: Answers[NonNullable<R[K]>["of"]] };

/** Without a limit. */
export const ALL: number = Number.MAX_SAFE_INTEGER;

/** Selects the head of a session: the checkpoint with the highest sequence. Asides and damaged checkpoints are never the head. */
export function headOf(sessionId: SessionId): Select {
  return { of: "checkpoints", where: { state: "live", sessionId, notKinds: ["aside"], damaged: false }, order: "newest", limit: 1 };
}

/** Selects the asides that hold side records of some checkpoints of a session. */
export function sideRecordsOf(sessionId: SessionId, state: "live" | "trash", owners: readonly CheckpointId[]): Select {
  return { of: "checkpoints", where: { state, sessionId, kinds: ["aside"], ownTags: owners.map(recordTag) }, order: "any", limit: ALL };
}
