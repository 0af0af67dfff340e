import { isShielded } from "../catalog-state/asides.ts";
import type { CheckpointId, SessionId } from "../model/ids.ts";
import type { AutomaticSession } from "./plan-thinning.ts";

/** What is to go, in this order, and what is spared although its turn had come. */
export interface CleanUpPlan {
  readonly moves: readonly PlannedMove[];
  readonly spared: readonly Spared[];
}

/**
 * Why something goes: its session was not used for long (`retention`); hooks saved it, and later ones of the same hour or day stand for it
 * (`thinning`); it is an aside that nobody used for long (`aside-age`); the store is full (`quota`), or its disk is (`disk-full`); it was in the trash for long (`trash-age`); the
 * trash is full (`trash-share`); somebody asked for it (`manual`).
 */
export type CleanUpReason = "retention" | "thinning" | "aside-age" | "quota" | "disk-full" | "trash-age" | "trash-share" | "manual";

/** Checkpoints of one session that go the same way for the same reason. */
export type PlannedMove = {
  readonly sessionId: SessionId;
  readonly checkpoints: readonly CheckpointId[];
  /** Of their blobs, as stored. */
  readonly bytes: number;
  readonly reason: CleanUpReason;
} &
  /** Asides and checkpoints of hooks go by their own age, whenever their session was used. */
  (
    | { readonly from: "live"; readonly to: "trash" | "nowhere"; readonly unlessUsedSince: Date | undefined }
    | { readonly from: "trash"; readonly to: "nowhere" }
  );

/** Checkpoints of one session that stay: they or their session are tagged `keep`, it is in use, or a handle holds. */
export interface Spared {
  readonly sessionId: SessionId;
  readonly why: "keep" | "in-use" | "handle";
  readonly checkpoints: number;
  readonly bytes: number;
}

/** What a plan has to know of a store. */
export interface StoreView {
  /** Those that can be concerned, the least recently used first. */
  readonly sessions: readonly SessionView[];
  /** Sessions with such of their asides as were not used for so long that they may go. */
  readonly asides: readonly SessionView[];
  /** Sessions with their checkpoints that hooks saved more than a day ago. */
  readonly automatic: readonly AutomaticSession[];
  /** The longest there first. */
  readonly trash: readonly TrashView[];
  /** Of all blobs, those in the trash included. */
  readonly bytes: number;
}

export interface SessionView {
  readonly id: SessionId;
  readonly lastAccessedAt: Date;
  readonly isKept: boolean;
  /** Oldest first. */
  readonly checkpoints: readonly CheckpointView[];
}

export interface CheckpointView {
  readonly id: CheckpointId;
  readonly bytes: number;
  readonly project: string | undefined;
  readonly isKept: boolean;
  /** Whether work can go on from it: it is neither damaged nor an aside. */
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

/** The move of some checkpoints of a session; none when there are none. */
export function moveOut(
  { id, lastAccessedAt }: SessionView,
  going: readonly CheckpointView[],
  { to, reason }: { readonly to: "trash" | "nowhere"; readonly reason: CleanUpReason },
): readonly PlannedMove[] {
  if (going.length === 0) return [];
  const checkpoints = going.map((each) => each.id);
  const unlessUsedSince = reason === "aside-age" || reason === "thinning" ? undefined : lastAccessedAt;
  return [{ sessionId: id, checkpoints, bytes: bytesOf(going), reason, from: "live", to, unlessUsedSince }];
}

/** The note that some checkpoints of a session stay; none when there are none. */
export function spare({ id }: SessionView, staying: readonly CheckpointView[], why: Spared["why"]): readonly Spared[] {
  return staying.length === 0 ? [] : [{ sessionId: id, why, checkpoints: staying.length, bytes: bytesOf(staying) }];
}

/** The moves that take entries out of the trash, one for each group: of one session, for one reason. */
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

/** When a plan is made, and which sessions are in use then. */
export interface Moment {
  readonly now: Date;
  readonly inUse: ReadonlySet<SessionId>;
}

/** What of a session may go, and what may not. */
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

/** Whole sessions, for good, in the order given, until that frees so many bytes; and what of them stays. */
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
    moves.push(...moveOut(session, going, { to: "nowhere", reason }));
    spared.push(...staying);
  }
  return { moves, spared };
}
