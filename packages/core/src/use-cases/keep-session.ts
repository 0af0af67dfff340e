import { KEEP_TAG, type Session } from "../model/session.ts";
import type { SessionId } from "../model/ids.ts";
import type { Clock } from "../ports/environment.ts";
import { sessionNotFound } from "./load-checkpoint.ts";
import type { ListPorts } from "./list-checkpoints.ts";

export interface KeepInput {
  readonly sessionId: SessionId;
  /** `false` takes it back. Default `true`. */
  readonly keep?: boolean | undefined;
}

/**
 * Has a session spared by whatever removes of its own accord, or takes that back.
 *
 * @throws SESSION_NOT_FOUND.
 */
export async function keepSession(
  { catalog, locking, clock }: ListPorts & { readonly clock: Clock },
  { sessionId, keep = true }: KeepInput,
): Promise<Session> {
  return locking.inOrder(sessionId, () =>
    locking.shared(async () => {
      const tags = { sessionId, add: keep ? [KEEP_TAG] : [], remove: keep ? [] : [KEEP_TAG] };
      const reason = keep ? "keep" : "no longer keep";
      if ((await catalog.session(sessionId)) === undefined) throw sessionNotFound(sessionId);
      const audit = [{ at: clock.now(), action: "tag" as const, sessionId, checkpointId: undefined, agentId: undefined, reason }];
      await catalog.commit({ tags, audit });
      const session = await catalog.session(sessionId);
      if (session === undefined) throw sessionNotFound(sessionId);
      return session;
    }),
  );
}
