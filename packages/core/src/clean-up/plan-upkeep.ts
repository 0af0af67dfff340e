import type { SessionId } from "../model/ids.ts";
import {
  bytesOf,
  type CleanUpPlan,
  type CleanUpReason,
  DAY_MS,
  moveOut,
  moveOutOfTrash,
  outOfSessions,
  part,
  type PlannedMove,
  type SessionView,
  type Spared,
  type StoreView,
  type TrashView,
} from "./plan.ts";
import { planThinning } from "./plan-thinning.ts";

/** What a store does of its own accord, so that it can be left alone. Durations are in milliseconds. */
export interface UpkeepPolicy {
  /** Sessions that were not used for this long go. `undefined`: none does. */
  readonly retentionMs: number | undefined;
  /** Asides that were not used for this long go for good. */
  readonly asideMs: number;
  /** How long things stay in the trash. 0: there is no trash, what goes is gone. */
  readonly trashMs: number;
  /** The most that the trash may hold, in bytes; what was put there within a day does not leave for this. */
  readonly trashBytes: number;
  /** A store that holds more bytes than `above` is brought down to `downTo`. */
  readonly quota: { readonly above: number; readonly downTo: number };
}

/**
 * Decides what goes: asides unused for long; frequent checkpoints of hooks; sessions unused for long, into the trash; out of it what was there for long,
 * and what is more than it may hold, but not on the day that it was put there, so that people can still take back what goes
 * at once; and while the store is too full whatever is in the trash, the longest there first, then whole sessions, the
 * least recently used first. These are to free bytes, and therefore go nowhere. What is tagged `keep` stays, and
 * sessions in use, and what a handle holds that was given out; but not what somebody put into the trash.
 */
export function planUpkeep(store: StoreView, policy: UpkeepPolicy, inUse: ReadonlySet<SessionId>, now: Date): CleanUpPlan {
  const to = policy.trashMs === 0 ? "nowhere" : "trash";
  const moves: PlannedMove[] = [];
  const spared: Spared[] = [];
  const trash = [...store.trash];
  for (const session of store.asides) {
    // It goes for its own age, whoever uses its session.
    const { going, staying } = part(session, { now, inUse: new Set() });
    moves.push(...moveOut(session, going, { to: "nowhere", reason: "aside-age" }));
    spared.push(...staying);
  }
  const thinned = planThinning(store.automatic, to, { now, inUse });
  moves.push(...thinned.moves);
  spared.push(...thinned.spared);
  const sessions = without(store.sessions, moves);
  for (const session of sessions.filter((each) => isUnused(each, policy, now))) {
    const { going, staying } = part(session, { now, inUse });
    moves.push(...moveOut(session, going, { to, reason: "retention" }));
    spared.push(...staying);
    if (to === "trash") trash.push(...going.map(({ id, bytes }) => ({ id, sessionId: session.id, bytes, trashedAt: now })));
  }
  const bytes = store.bytes - bytesOf(moves.filter((move) => move.to === "nowhere"));
  const excess = excessOf(bytes, policy);
  const fromTrash = planTrash(trash, policy, excess, now);
  const used = sessions.filter((each) => !isUnused(each, policy, now));
  const fromSessions = outOfSessions(used, { bytes: excess - bytesOf(fromTrash), reason: "quota" }, { now, inUse });
  return { moves: [...moves, ...fromTrash, ...fromSessions.moves], spared: [...spared, ...fromSessions.spared] };
}

/** Whether a session was not used for as long as it takes to go. */
export function isUnused({ lastAccessedAt }: Pick<SessionView, "lastAccessedAt">, { retentionMs }: UpkeepPolicy, now: Date): boolean {
  return retentionMs !== undefined && now.getTime() - lastAccessedAt.getTime() >= retentionMs;
}

/** How many bytes are to be freed. */
export function excessOf(bytes: number, { quota: { above, downTo } }: UpkeepPolicy): number {
  return bytes > above ? bytes - downTo : 0;
}

/** What is left of sessions after some moves. */
function without(sessions: readonly SessionView[], moves: readonly PlannedMove[]): readonly SessionView[] {
  const gone = new Set(moves.flatMap(({ checkpoints }) => checkpoints));
  return sessions.map((session) => ({ ...session, checkpoints: session.checkpoints.filter(({ id }) => !gone.has(id)) }));
}

/** What leaves the trash, and why: the longest there leave first. */
function planTrash(trash: readonly TrashView[], policy: UpkeepPolicy, excess: number, now: Date): readonly PlannedMove[] {
  const held = bytesOf(trash);
  let freed = 0;
  const whyOut = ({ trashedAt }: TrashView): CleanUpReason | undefined => {
    if (now.getTime() - trashedAt.getTime() >= policy.trashMs) return "trash-age";
    if (freed < excess) return "quota";
    const isNew = now.getTime() - trashedAt.getTime() < DAY_MS;
    return held - freed > policy.trashBytes && !isNew ? "trash-share" : undefined;
  };
  const leaving: { readonly entry: TrashView; readonly reason: CleanUpReason }[] = [];
  for (const entry of trash) {
    const reason = whyOut(entry);
    if (reason === undefined) break;
    leaving.push({ entry, reason });
    freed += entry.bytes;
  }
  return moveOutOfTrash(leaving);
}
