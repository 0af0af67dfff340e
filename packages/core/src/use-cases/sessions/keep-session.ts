import type { SessionId } from "../../model/ids.ts";
import { KEEP_TAG, type Session } from "../../model/session.ts";
import type { Clock } from "../../ports/environment.ts";
import type { ListPorts } from "../load/list-checkpoints.ts";
import { tagSession } from "./tag-session.ts";

export interface KeepInput {
  readonly sessionId: SessionId;
  /** `false` removes the protection. Default `true`. */
  readonly keep?: boolean | undefined;
}

/**
 * Protects a session from automatic removal, or ends the protection.
 *
 * @throws SESSION_NOT_FOUND.
 */
export async function keepSession(ports: ListPorts & { readonly clock: Clock }, { sessionId, keep = true }: KeepInput): Promise<Session> {
  return keep
    ? tagSession(ports, { sessionId, add: [KEEP_TAG], reason: "keep" })
    : tagSession(ports, { sessionId, remove: [KEEP_TAG], reason: "no longer keep" });
}
