import {
  bytesOf,
  type CleanUpPlan,
  DAY_MS,
  type Moment,
  moveOutOfTrash,
  outOfSessions,
  type SessionView,
  type StoreView,
  type TrashView,
} from "./plan.ts";

/** True when a session is at rest. A session used within a day is never removed to make room. */
export function isAtRest({ lastAccessedAt }: Pick<SessionView, "lastAccessedAt">, now: Date): boolean {
  return now.getTime() - lastAccessedAt.getTime() >= DAY_MS;
}

/**
 * Plans permanent removals that free the given bytes on a full disk, and no more. First the trash, the longest there first; then
 * whole sessions at rest, least recently used first. Spares data tagged `keep`, sessions in use, and checkpoints shielded by a
 * handle.
 */
export function planRoom(store: Omit<StoreView, "asides" | "automatic">, neededBytes: number, { now, inUse }: Moment): CleanUpPlan {
  const leaving: TrashView[] = [];
  for (const entry of store.trash) {
    if (bytesOf(leaving) >= neededBytes) break;
    leaving.push(entry);
  }
  const fromTrash = moveOutOfTrash(leaving.map((entry) => ({ entry, reason: "disk-full" as const })));
  const atRest = store.sessions.filter((session) => isAtRest(session, now));
  const fromSessions = outOfSessions(atRest, { bytes: neededBytes - bytesOf(leaving), reason: "disk-full" }, { now, inUse });
  return { moves: [...fromTrash, ...fromSessions.moves], spared: fromSessions.spared };
}
