import { isJsonObject, type JsonObject } from "./context.ts";
import { invalidInput, type WorkrailError } from "../errors.ts";
import type { SessionId } from "./ids.ts";
import { firstCharacters, hasAtMost } from "./characters.ts";

/** Attribute that holds the git state. Reserved for the product: callers cannot set it. */
export const GIT_STATE = "gitState";

/**
 * Attribute that holds the project of the session when it differs from the project of the checkpoint; null for no project.
 * Reserved for the product: callers cannot set it. Every later checkpoint carries it too, so it survives the removal of the
 * session's first checkpoint.
 */
export const SESSION_PROJECT = "sessionProject";

/**
 * Attribute that holds a readable name of the session when the session id is a generated one. Reserved for the product: callers
 * cannot set it. The name of each checkpoint comes from its own context, so nothing of an erased checkpoint remains in another
 * one.
 */
export const SESSION_NAME = "sessionName";

/** State of a git repository when a checkpoint was saved, read from the repository's files. */
export interface GitState {
  /** Absolute path of the working tree. */
  readonly root: string;
  /** Absolute path, with links resolved, of the directory shared by all worktrees. Identifies the repository. */
  readonly commonDir: string;
  /** Absent when no branch is checked out, or the branch is unknown. */
  readonly branch?: string;
  /** Hexadecimal commit id. Absent when there is no commit yet, or it is unknown. */
  readonly commit?: string;
  /** Host and path of the remote, such as `example.com/team/app`, without credentials. */
  readonly remote?: string;
}

/** Converts the state to its stored form: the root is omitted when it is the project's. */
export function gitStateToJson(state: GitState, project: string | undefined): JsonObject {
  const { root, ...rest } = state;
  return root === project ? { ...rest } : { root, ...rest };
}

/** Reads the git state of a checkpoint; `undefined` when it was saved outside of a repository, or the attribute holds something else. */
export function gitStateOf(checkpoint: { readonly attributes: JsonObject; readonly project: string | undefined }): GitState | undefined {
  const kept = checkpoint.attributes[GIT_STATE];
  if (!isJsonObject(kept)) return undefined;
  const root = textOf(kept, "root") ?? checkpoint.project;
  const commonDir = textOf(kept, "commonDir");
  if (root === undefined || commonDir === undefined) return undefined;
  const told = { branch: textOf(kept, "branch"), commit: textOf(kept, "commit"), remote: textOf(kept, "remote") };
  const known = Object.fromEntries(Object.entries(told).filter(([, value]) => value !== undefined));
  return { root, commonDir, ...known };
}

function textOf(object: JsonObject, key: string): string | undefined {
  const value = object[key];
  return typeof value === "string" && value !== "" ? value : undefined;
}

/**
 * Returns the searchable part of a checkpoint's attributes: without the product's own paths and digests, and without keys it
 * lacks now.
 */
export function searchableAttributes(attributes: JsonObject): JsonObject {
  const kept = attributes[GIT_STATE];
  if ([GIT_STATE, SESSION_PROJECT, SESSION_NAME].every((ours) => attributes[ours] === undefined)) return attributes;
  const { [GIT_STATE]: _ours, [SESSION_PROJECT]: _project, [SESSION_NAME]: _name, ...callers } = attributes;
  const branch = isJsonObject(kept) ? textOf(kept, "branch") : undefined;
  return branch === undefined ? callers : { ...callers, branch };
}

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
  return isJsonObject(state) ? textOf(state, "commonDir") : undefined;
}

/** Returns a warning for a session used from another project. */
export function otherProjectWarning(sessionId: SessionId, owner: string, project: string | undefined): string {
  return `Session ${sessionId} belongs to the project ${owner}, not to ${project}. If this is not intended, use another session.`;
}

export function otherProjectRefused(sessionId: SessionId, owner: string, project: string | undefined): WorkrailError {
  return invalidInput(
    "sessionId",
    `Session ${sessionId} belongs to the project ${owner}, not to ${project}, and projects are isolated from each other.`,
    "Use another sessionId, or set WORKRAIL_ISOLATION=own-first.",
  );
}

const LONGEST = 60;

export interface NamedSession {
  /** Goal stated in the context, if any. */
  readonly goal: string | undefined;
  readonly project: string | undefined;
  /** Time of the session's first save. */
  readonly begunAt: Date;
}

/** Returns the name attribute of a checkpoint: the goal, else the project's folder and the day of the session's first save. */
export function sessionNameAttribute({ goal, project, begunAt }: NamedSession): JsonObject {
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
