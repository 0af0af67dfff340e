import type { SessionId } from "../model/ids.ts";
import { KEEP_TAG, type Session } from "../model/session.ts";
import type { Clock } from "../ports/environment.ts";
import type { ListPorts } from "./list-checkpoints.ts";
import { tagSession } from "./tag-session.ts";

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
export async function keepSession(ports: ListPorts & { readonly clock: Clock }, { sessionId, keep = true }: KeepInput): Promise<Session> {
  return keep
    ? tagSession(ports, { sessionId, add: [KEEP_TAG], reason: "keep" })
    : tagSession(ports, { sessionId, remove: [KEEP_TAG], reason: "no longer keep" });
}
