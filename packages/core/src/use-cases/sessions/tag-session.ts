import { WorkrailError } from "../../errors.ts";
import { LABEL_LIMITS } from "../../model/limits.ts";
import type { SessionId } from "../../model/ids.ts";
import { KEEP_TAG, type Session } from "../../model/session.ts";
import type { Clock } from "../../ports/environment.ts";
import { checkTags } from "./labels.ts";
import type { ListPorts } from "../load/list-checkpoints.ts";
import { sessionNotFound } from "../load/load-checkpoint.ts";
import { findSession } from "../../catalog/queries/query-sessions.ts";
import { commit } from "../../catalog/rules/commit.ts";

export interface TagInput {
  readonly sessionId: SessionId;
  /** Default: none. */
  readonly add?: readonly string[] | undefined;
  /** Default: none. A missing tag is ignored. */
  readonly remove?: readonly string[] | undefined;
  /** Reason for the audit log. Default `tags`. */
  readonly reason?: string | undefined;
}

/**
 * Adds tags to a session, or removes them. In listings, a session's tag counts for each of its checkpoints.
 *
 * @throws SESSION_NOT_FOUND; INVALID_INPUT for invalid tags.
 */
export async function tagSession({ catalog, locking, clock }: ListPorts & { readonly clock: Clock }, input: TagInput): Promise<Session> {
  const { sessionId, add = [], remove = [], reason = "tags" } = input;
  checkTags(add);
  checkTags(remove);
  return locking.inOrder(sessionId, async () => {
    const before = await findSession(catalog, sessionId);
    if (before === undefined) throw sessionNotFound(sessionId);
    if (new Set([...before.tags, ...add]).size > LABEL_LIMITS.tags) throw tooMany();
    const audit = [{ at: clock.now(), action: "tag" as const, sessionId, checkpointId: undefined, agentId: undefined, reason }];
    await catalog.change(commit({ tags: { sessionId, add, remove }, audit }));
    return (await findSession(catalog, sessionId)) ?? before;
  });
}

function tooMany(): WorkrailError {
  return new WorkrailError("INVALID_INPUT", `A session has at most ${LABEL_LIMITS.tags} tags.`, {
    details: { field: "tags", maxTags: LABEL_LIMITS.tags },
    hint: "Remove tags that are no longer needed.",
  });
}

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
