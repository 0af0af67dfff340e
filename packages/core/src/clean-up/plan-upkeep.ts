import {
  bytesOf,
  type CleanUpPlan,
  type CleanUpReason,
  DAY_MS,
  type Moment,
  planMove,
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

/** Rules of automatic upkeep. Durations are in milliseconds. */
export interface UpkeepPolicy {
  /** Age of last use at which sessions are removed. `undefined`: never. */
  readonly retentionMs: number | undefined;
  /** Age of last use at which asides are removed permanently. */
  readonly asideMs: number;
  /** Time that entries stay in the trash. 0: no trash, removals are permanent. */
  readonly trashMs: number;
  /** Limit of the trash in bytes. Entries younger than a day do not leave because of this limit. */
  readonly trashBytes: number;
  /** A store that holds more bytes than `above` is reduced to `downTo`. */
  readonly quota: { readonly above: number; readonly downTo: number };
}

/**
 * Plans the automatic removals:
 * 1. Asides unused for long, permanently.
 * 2. Superfluous checkpoints of hooks, and sessions unused for long, into the trash.
 * 3. From the trash, old entries and the excess over its limit. Entries younger than a day are exempt from the limit, so that
 *    people can still take back a large removal.
 * 4. While the store is too full, the whole trash, the longest there first, then whole sessions, least recently used first. These
 *    free bytes and are therefore permanent.
 *
 * Spares data tagged `keep`, sessions in use, and checkpoints shielded by a handle, except in the trash.
 */
export function planUpkeep(store: StoreView, policy: UpkeepPolicy, { now, inUse }: Moment): CleanUpPlan {
  const to = policy.trashMs === 0 ? "nowhere" : "trash";
  const moves: PlannedMove[] = [];
  const spared: Spared[] = [];
  const trash = [...store.trash];
  for (const session of store.asides) {
    // The age of an aside alone decides, even when its session is in use.
    const { going, staying } = part(session, { now, inUse: new Set() });
    moves.push(...planMove(session, going, { to: "nowhere", reason: "aside-age" }));
    spared.push(...staying);
  }
  const thinned = planThinning(store.automatic, to, { now, inUse });
  moves.push(...thinned.moves);
  spared.push(...thinned.spared);
  const sessions = without(store.sessions, moves);
  for (const session of sessions.filter((each) => isUnused(each, policy, now))) {
    const { going, staying } = part(session, { now, inUse });
    moves.push(...planMove(session, going, { to, reason: "retention" }));
    spared.push(...staying);
    if (to === "trash") for (const { id, bytes } of going) trash.push({ id, sessionId: session.id, bytes, trashedAt: now });
  }
  const bytes = store.bytes - bytesOf(moves.filter((move) => move.to === "nowhere"));
  const excess = excessOf(bytes, policy);
  const fromTrash = planTrash(trash, policy, { excess, now });
  const used = sessions.filter((each) => !isUnused(each, policy, now));
  const fromSessions = outOfSessions(used, { bytes: excess - bytesOf(fromTrash), reason: "quota" }, { now, inUse });
  return { moves: [...moves, ...fromTrash, ...fromSessions.moves], spared: [...spared, ...fromSessions.spared] };
}

/** True when a session was unused for the whole retention. */
export function isUnused({ lastAccessedAt }: Pick<SessionView, "lastAccessedAt">, { retentionMs }: UpkeepPolicy, now: Date): boolean {
  return retentionMs !== undefined && now.getTime() - lastAccessedAt.getTime() >= retentionMs;
}

/** Returns the number of bytes to free. */
export function excessOf(bytes: number, { quota: { above, downTo } }: UpkeepPolicy): number {
  return bytes > above ? bytes - downTo : 0;
}

/** Returns sessions without the checkpoints of some moves. */
function without(sessions: readonly SessionView[], moves: readonly PlannedMove[]): readonly SessionView[] {
  const gone = new Set(moves.flatMap(({ checkpoints }) => checkpoints));
  return sessions.map((session) => ({ ...session, checkpoints: session.checkpoints.filter(({ id }) => !gone.has(id)) }));
}

/** Plans which entries leave the trash, the longest there first, and why. */
function planTrash(
  trash: readonly TrashView[],
  policy: UpkeepPolicy,
  { excess, now }: { readonly excess: number; readonly now: Date },
): readonly PlannedMove[] {
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
