import { firstCharacters, hasAtMost } from "./characters.ts";
import type { JsonObject } from "./context.ts";
import type { SessionId } from "./ids.ts";

/**
 * The attribute that keeps a readable name of a checkpoint's session, where the session's id is a generated one. It is the product's own:
 * callers cannot set it. Each checkpoint's is of its own context, so nothing of an erased checkpoint stays in another one's.
 */
export const SESSION_NAME = "sessionName";

const LONGEST = 60;
const GENERATED = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/u;

export interface NamedSession {
  readonly sessionId: SessionId;
  /** What the context says that it is for, if it does. */
  readonly goal: string | undefined;
  readonly project: string | undefined;
  /** Of the session's first save. */
  readonly begunAt: Date;
}

/** The attribute of a checkpoint: from the goal, else from the project's folder and the day of the session's first save. */
export function sessionNameAttribute({ sessionId, goal, project, begunAt }: NamedSession): JsonObject {
  if (!GENERATED.test(sessionId)) return {};
  return { [SESSION_NAME]: goal === undefined ? `${folderOf(project)} ${begunAt.toISOString().slice(0, 10)}` : shortened(goal) };
}

function folderOf(project: string | undefined): string {
  return project?.split(/[\\/]/u).findLast((name) => name !== "") ?? "session";
}

/** Cut between two words, where there are some. */
function shortened(goal: string): string {
  if (hasAtMost(LONGEST, goal)) return goal;
  const start = firstCharacters(LONGEST - 1, goal);
  const end = start.lastIndexOf(" ");
  return `${(end > 0 ? start.slice(0, end) : start).replace(/[\s.,;:]+$/u, "")}…`;
}
