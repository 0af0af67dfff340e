import type { CleanUpReport } from "@workrail/core";
import type { Workrail } from "@workrail/runtime";

/** Describes a session to people, beside its id. */
export interface SessionNote {
  /** Name of its newest checkpoint, else its own. */
  readonly name: string | undefined;
  /** Time of its last use, ISO 8601. */
  readonly usedAt: string;
}

/** Notes the name and the last use of each session in a report, as long as the store has them. */
export async function noteSessions(store: Workrail, { removed }: CleanUpReport, notes: Map<string, SessionNote>): Promise<void> {
  if (removed.some(({ from }) => from === "trash")) {
    for (const { sessionId, sessionName, name = sessionName, lastAccessedAt } of await store.listTrash()) {
      notes.set(sessionId, { name, usedAt: lastAccessedAt });
    }
  }
  const live = removed.filter(({ from }) => from === "live").map(({ sessionId }) => sessionId);
  for (const sessionId of new Set<string>(live)) {
    const { session, checkpoints } = await store.findCheckpoints({ sessionId, limit: 1 });
    if (session !== undefined)
      notes.set(sessionId, { name: checkpoints[0]?.name ?? checkpoints[0]?.sessionName, usedAt: session.lastAccessedAt });
  }
}
