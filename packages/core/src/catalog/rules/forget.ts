import type { SessionId } from "../../model/ids.ts";
import { KEEP_TAG } from "../../model/session.ts";

import type { Reads } from "../reads.ts";
import { changed } from "../rows.ts";
import { type Decision, nothing, type Rule, rule } from "../rule.ts";

/**
 * Forgets empty sessions, including everything kept about them outside of the catalog. A session is empty when it has no
 * checkpoint, live or in the trash, and no pending removal. A session that is no longer empty, was used after `unusedSince`, or
 * is tagged `keep` is skipped. Writes one audit row `delete` with the reason `empty` for each.
 */
export interface Forgetting {
  readonly sessions: readonly SessionId[];
  /** Default: the time of the last use does not matter. */
  readonly unusedSince?: Date | undefined;
  readonly at: Date;
}

/** Forgets a session that holds nothing, is not tagged `keep`, and was not used since. Returns the forgotten session, or none. */
export function forget(id: SessionId, { unusedSince, at }: Omit<Forgetting, "sessions">): Rule<readonly SessionId[]> {
  return rule({
    reads: {
      session: { of: "session", id },
      checkpoints: { of: "places", where: { state: "any", sessionId: id }, order: "any", limit: 1 },
      removals: { of: "removals", sessionId: id },
    } as const satisfies Reads,
    decide({ session, checkpoints, removals }): Decision<readonly SessionId[]> {
      const isEmpty = checkpoints.length === 0 && removals.every(({ isDone }) => isDone);
      if (session === undefined || !isEmpty || session.tags.includes(KEEP_TAG)) return nothing([]);
      if (unusedSince !== undefined && session.lastAccessedAt > unusedSince) return nothing([]);
      return {
        outcome: [id],
        rows: [changed("session", session, undefined), ...removals.map((removal) => changed("removal", removal, undefined))],
        audit: [{ at, action: "delete", sessionId: id, checkpointId: undefined, agentId: undefined, reason: "empty" }],
        forgotten: [id],
      };
    },
  });
}
