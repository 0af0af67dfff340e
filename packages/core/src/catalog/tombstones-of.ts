import type { CheckpointId, SessionId } from "../model/ids.ts";
import type { SessionFacts } from "../model/session.ts";

/** Returns the removed ids of each session. The same id may exist in another session. */
export function tombstonesOf(sessions: readonly SessionFacts[]): ReadonlyMap<SessionId, ReadonlySet<CheckpointId>> {
  return new Map(sessions.map(({ sessionId, tombstones }) => [sessionId, new Set(tombstones)]));
}
