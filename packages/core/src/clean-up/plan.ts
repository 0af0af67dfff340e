import { isShielded } from "../catalog/asides.ts";
import type { CheckpointId, SessionId } from "../model/ids.ts";

/** Planned removals, in order, and the checkpoints spared although they were due. */
export interface CleanUpPlan {
  readonly moves: readonly PlannedMove[];
  readonly spared: readonly Spared[];
}

/**
 * Reason of a removal. `retention`: the session was unused for long. `thinning`: a later checkpoint of hooks covers the same hour
 * or day. `aside-age`: the aside was unused for long. `quota`: the store is full. `disk-full`: the disk is full. `trash-age`: the
 * entry was in the trash for long. `trash-share`: the trash is full. `manual`: somebody requested it.
 */
export type CleanUpReason = "retention" | "thinning" | "aside-age" | "quota" | "disk-full" | "trash-age" | "trash-share" | "manual";

/** Checkpoints of one session that move the same way for the same reason. */
export type PlannedMove = {
  readonly sessionId: SessionId;
  readonly checkpoints: readonly CheckpointId[];
  /** Stored bytes of their blobs. */
  readonly bytes: number;
  readonly reason: CleanUpReason;
} &
  /**
   * `unlessUsedSince` is absent for asides and checkpoints of hooks: they go by their own age, regardless of the use of their
   * session.
   */
  (
    | { readonly from: "live"; readonly to: "trash" | "nowhere"; readonly unlessUsedSince: Date | undefined }
    | { readonly from: "trash"; readonly to: "nowhere" }
  );

/** Checkpoints of one session that stay because they or the session are tagged `keep`, the session is in use, or a handle holds them. */
export interface Spared {
  readonly sessionId: SessionId;
  readonly why: "keep" | "in-use" | "handle";
  readonly checkpoints: number;
  readonly bytes: number;
}

/** Data of a store that a plan needs. */
export interface StoreView {
  /** Sessions that may be affected, least recently used first. */
  readonly sessions: readonly SessionView[];
  /** Sessions with their asides that were unused longer than the limit. */
  readonly asides: readonly SessionView[];
  /** Sessions with the checkpoints that hooks saved more than a day ago. */
  readonly automatic: readonly AutomaticSession[];
  /** Longest in the trash first. */
  readonly trash: readonly TrashView[];
  /** Bytes of all blobs, including the trash. */
  readonly bytes: number;
}

export interface SessionView {
  readonly id: SessionId;
  readonly lastAccessedAt: Date;
  readonly isKept: boolean;
  /** Oldest first. */
  readonly checkpoints: readonly CheckpointView[];
}

export interface AutomaticView extends CheckpointView {
  readonly createdAt: Date;
  readonly isHead: boolean;
}

/** A session with the checkpoints that hooks saved to it, oldest first. */
export interface AutomaticSession extends Omit<SessionView, "checkpoints"> {
  readonly checkpoints: readonly AutomaticView[];
}

export interface CheckpointView {
  readonly id: CheckpointId;
  readonly bytes: number;
  readonly project: string | undefined;
  readonly isKept: boolean;
  /** True when work can continue from it: it is neither damaged nor an aside. */
  readonly canBeHead: boolean;
  readonly shieldedUntil: Date | undefined;
}

export interface TrashView {
  readonly id: CheckpointId;
  readonly sessionId: SessionId;
  readonly bytes: number;
  readonly trashedAt: Date;
}

export const DAY_MS: number = 24 * 60 * 60 * 1_000;

export function bytesOf(some: readonly { readonly bytes: number }[]): number {
  return some.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Returns the move of some checkpoints of a session; empty when there are none. */
export function planMove(
  { id, lastAccessedAt }: SessionView,
  going: readonly CheckpointView[],
  { to, reason }: { readonly to: "trash" | "nowhere"; readonly reason: CleanUpReason },
): readonly PlannedMove[] {
  if (going.length === 0) return [];
  const checkpoints = going.map((each) => each.id);
  const unlessUsedSince = reason === "aside-age" || reason === "thinning" ? undefined : lastAccessedAt;
  return [{ sessionId: id, checkpoints, bytes: bytesOf(going), reason, from: "live", to, unlessUsedSince }];
}

/** Returns the note that some checkpoints of a session stay; empty when there are none. */
export function spare({ id }: SessionView, staying: readonly CheckpointView[], why: Spared["why"]): readonly Spared[] {
  return staying.length === 0 ? [] : [{ sessionId: id, why, checkpoints: staying.length, bytes: bytesOf(staying) }];
}

/** Returns the moves that take entries out of the trash, one per session and reason. */
export function moveOutOfTrash(leaving: readonly { readonly entry: TrashView; readonly reason: CleanUpReason }[]): readonly PlannedMove[] {
  const groups = new Map<string, { readonly reason: CleanUpReason; readonly entries: TrashView[] }>();
  for (const { entry, reason } of leaving) {
    const key = `${reason} ${entry.sessionId}`;
    const group = groups.get(key) ?? { reason, entries: [] };
    groups.set(key, group);
    group.entries.push(entry);
  }
  return [...groups.values()].map(({ reason, entries }) => {
    const { sessionId } = entries[0] as TrashView;
    return { sessionId, checkpoints: entries.map(({ id }) => id), bytes: bytesOf(entries), reason, from: "trash", to: "nowhere" };
  });
}

/** Time of a plan, with the sessions in use. */
export interface Moment {
  readonly now: Date;
  readonly inUse: ReadonlySet<SessionId>;
}

/** Splits a session into checkpoints that may go and checkpoints that stay. */
export function part(
  session: SessionView,
  { now, inUse }: Moment,
): { readonly going: readonly CheckpointView[]; readonly staying: readonly Spared[] } {
  if (inUse.has(session.id)) return { going: [], staying: spare(session, session.checkpoints, "in-use") };
  const { keep, handle, none } = Object.groupBy(session.checkpoints, (each) => {
    if (session.isKept || each.isKept) return "keep";
    return isShielded(each, now) ? "handle" : "none";
  });
  return { going: none ?? [], staying: [...spare(session, keep ?? [], "keep"), ...spare(session, handle ?? [], "handle")] };
}

/** Plans permanent removal of whole sessions, in the given order, until enough bytes are freed. Lists what stays. */
export function outOfSessions(
  sessions: readonly SessionView[],
  { bytes, reason }: { readonly bytes: number; readonly reason: CleanUpReason },
  moment: Moment,
): CleanUpPlan {
  const moves: PlannedMove[] = [];
  const spared: Spared[] = [];
  for (const session of sessions) {
    if (bytesOf(moves) >= bytes) break;
    const { going, staying } = part(session, moment);
    moves.push(...planMove(session, going, { to: "nowhere", reason }));
    spared.push(...staying);
  }
  return { moves, spared };
}
