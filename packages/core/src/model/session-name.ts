import { firstCharacters, hasAtMost } from "./characters.ts";
import type { JsonObject } from "./context.ts";
import type { SessionId } from "./ids.ts";

/**
 * Attribute that holds a readable name of the session when the session id is a generated one. Reserved for the product: callers
 * cannot set it. The name of each checkpoint comes from its own context, so nothing of an erased checkpoint remains in another
 * one.
 */
export const SESSION_NAME = "sessionName";

const LONGEST = 60;
const GENERATED = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/u;

export interface NamedSession {
  readonly sessionId: SessionId;
  /** Goal stated in the context, if any. */
  readonly goal: string | undefined;
  readonly project: string | undefined;
  /** Time of the session's first save. */
  readonly begunAt: Date;
}

/** Returns the name attribute of a checkpoint: the goal, else the project's folder and the day of the session's first save. */
export function sessionNameAttribute({ sessionId, goal, project, begunAt }: NamedSession): JsonObject {
  if (!GENERATED.test(sessionId)) return {};
  return { [SESSION_NAME]: goal === undefined ? `${folderOf(project)} ${begunAt.toISOString().slice(0, 10)}` : shortened(goal) };
}

function folderOf(project: string | undefined): string {
  return project?.split(/[\\/]/u).findLast((name) => name !== "") ?? "session";
}

/** Shortens a goal, between two words where possible. */
function shortened(goal: string): string {
  if (hasAtMost(LONGEST, goal)) return goal;
  const start = firstCharacters(LONGEST - 1, goal);
  const end = start.lastIndexOf(" ");
  return `${(end > 0 ? start.slice(0, end) : start).replace(/[\s.,;:]+$/u, "")}…`;
}
