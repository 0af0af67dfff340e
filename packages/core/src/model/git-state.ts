import { SESSION_NAME } from "./session-name.ts";
import { SESSION_PROJECT } from "./session-project-attribute.ts";
import { isJsonObject, type JsonObject } from "./context.ts";

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

/** Attribute that holds the git state. Reserved for the product: callers cannot set it. */
export const GIT_STATE = "gitState";

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
