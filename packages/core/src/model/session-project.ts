import { invalidInput, type WorkrailError } from "../errors.ts";
import { isJsonObject, type JsonObject } from "./context.ts";
import { GIT_STATE } from "./git-state.ts";
import type { SessionId } from "./ids.ts";
import { SESSION_PROJECT } from "./session-project-attribute.ts";

/** What is known of the place that a checkpoint was saved in. */
interface Saved {
  readonly attributes: JsonObject;
  readonly project: string | undefined;
}

/** The project that the session of a checkpoint belongs to: that of its first save. `undefined`: it was saved in none. */
export function sessionProjectOf({ attributes, project }: Saved): string | undefined {
  const kept = attributes[SESSION_PROJECT];
  if (kept === undefined) return project;
  return typeof kept === "string" ? kept : undefined;
}

/** The attribute of a checkpoint that continues a session; none where the session belongs to the checkpoint's own project. */
export function sessionProjectAttribute(head: Saved | undefined, project: string | undefined): JsonObject {
  if (head === undefined || sessionProjectOf(head) === project) return {};
  return { [SESSION_PROJECT]: sessionProjectOf(head) ?? null };
}

/**
 * The project that a session belongs to, where somebody comes to it from another one. Worktrees of a repository are no other projects, nor is
 * no project at all.
 *
 * @param head of the session.
 * @param surroundings attributes of ours that a checkpoint saved now would have.
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

/** A sentence for whoever comes to a session from another project. */
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
