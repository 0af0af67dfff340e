import { invalidInput, type WorkrailError } from "../errors.ts";
import { isJsonObject, type JsonObject } from "./context.ts";
import { GIT_STATE } from "./git-state.ts";
import type { SessionId } from "./ids.ts";
import { SESSION_PROJECT } from "./session-project-attribute.ts";

/** Place in which a checkpoint was saved. */
interface Saved {
  readonly attributes: JsonObject;
  readonly project: string | undefined;
}

/** Returns the project that a checkpoint's session belongs to: the project of its first save; `undefined` when there was none. */
export function sessionProjectOf({ attributes, project }: Saved): string | undefined {
  const kept = attributes[SESSION_PROJECT];
  if (kept === undefined) return project;
  return typeof kept === "string" ? kept : undefined;
}

/** Returns the attribute for a checkpoint that continues a session; empty when the session belongs to the checkpoint's own project. */
export function sessionProjectAttribute(head: Saved | undefined, project: string | undefined): JsonObject {
  if (head === undefined || sessionProjectOf(head) === project) return {};
  return { [SESSION_PROJECT]: sessionProjectOf(head) ?? null };
}

/**
 * Returns the project that owns a session when it is used from another project, else `undefined`. Another worktree of the same
 * repository, or no project at all, does not count as another project.
 *
 * @param head head of the session.
 * @param surroundings product attributes that a checkpoint saved now would have.
 */
export function otherProjectOf(head: Saved | undefined, project: string | undefined, surroundings: JsonObject): string | undefined {
  const owner = head === undefined ? undefined : sessionProjectOf(head);
  if (head === undefined || owner === undefined || project === undefined || owner === project) return undefined;
  const [theirs, ours] = [repositoryOf(head.attributes), repositoryOf(surroundings)];
  return head.project === owner && theirs !== undefined && theirs === ours ? undefined : owner;
}

function repositoryOf(attributes: JsonObject): string | undefined {
  const state = attributes[GIT_STATE];
  const directory = isJsonObject(state) ? state["commonDir"] : undefined;
  return typeof directory === "string" ? directory : undefined;
}

/** Returns a warning for a session used from another project. */
export function otherProjectWarning(sessionId: SessionId, owner: string, project: string | undefined): string {
  return `Session ${sessionId} belongs to the project ${owner}, not to ${project}. If that is not meant, use another session.`;
}

export function otherProjectRefused(sessionId: SessionId, owner: string, project: string | undefined): WorkrailError {
  return invalidInput(
    "sessionId",
    `Session ${sessionId} belongs to the project ${owner}, not to ${project}, and projects are isolated from each other.`,
    "Use another sessionId, or set WORKRAIL_ISOLATION=own-first.",
  );
}
