import type { SessionId } from "../model/ids.ts";
import {
  bytesOf,
  type CleanUpPlan,
  DAY_MS,
  moveOutOfTrash,
  outOfSessions,
  type SessionView,
  type StoreView,
  type TrashView,
} from "./plan.ts";

/** Whether a session rests: one that was used within a day is never given up for the room that it takes. */
export function isAtRest({ lastAccessedAt }: Pick<SessionView, "lastAccessedAt">, now: Date): boolean {
  return now.getTime() - lastAccessedAt.getTime() >= DAY_MS;
}

/**
 * Decides what goes, for good, so that a full disk takes so many bytes more, and no more than that takes: what is in the
 * trash, the longest there first; then whole sessions at rest, the least recently used first. What is tagged `keep`
 * stays, and sessions in use, and what a handle holds that was given out.
 */
export function planRoom(
  store: Omit<StoreView, "asides" | "automatic">,
  neededBytes: number,
  inUse: ReadonlySet<SessionId>,
  now: Date,
): CleanUpPlan {
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
