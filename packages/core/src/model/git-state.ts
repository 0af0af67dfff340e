import { SESSION_NAME } from "./session-name.ts";
import { SESSION_PROJECT } from "./session-project-attribute.ts";
import { isJsonObject, type JsonObject } from "./context.ts";

/** Where in a git repository work stood, as far as the repository's files tell. */
export interface GitState {
  /** Absolute path of the working tree. */
  readonly root: string;
  /** Absolute path, without links, of the directory that all worktrees of the repository share: which repository it is. */
  readonly commonDir: string;
  /** Absent: no branch is checked out, or it cannot be told. */
  readonly branch?: string;
  /** In hexadecimal. Absent: there is none yet, or it cannot be told. */
  readonly commit?: string;
  /** Host and path of the remote, such as `example.com/team/app`: nothing of who may use it. */
  readonly remote?: string;
}

/** The attribute that keeps it. It is the product's own: callers cannot set it. */
export const GIT_STATE = "gitState";

/** As it is kept: the root is left out where it is the project's. */
export function gitStateToJson(state: GitState, project: string | undefined): JsonObject {
  const { root, ...rest } = state;
  return root === project ? { ...rest } : { root, ...rest };
}

/** Where a checkpoint's work stood; `undefined` for one that was saved outside of a repository, or with something else in its place. */
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

/** What of a checkpoint's attributes is looked through for words: not our own paths and digests, nor keys that it does not have any more. */
export function searchableAttributes(attributes: JsonObject): JsonObject {
  const kept = attributes[GIT_STATE];
  if ([GIT_STATE, SESSION_PROJECT, SESSION_NAME].every((ours) => attributes[ours] === undefined)) return attributes;
  const { [GIT_STATE]: _ours, [SESSION_PROJECT]: _project, [SESSION_NAME]: _name, ...callers } = attributes;
  const branch = isJsonObject(kept) ? textOf(kept, "branch") : undefined;
  return branch === undefined ? callers : { ...callers, branch };
}
