import fs from "node:fs";
import path from "node:path";
import { HOOKS, INCOMING } from "@workrail/blob-files";
import { type GitState, quickDigest } from "@workrail/core";
import { namesIn } from "./names-in.ts";

/** Paths of the hooks' files in the data directory. */
export interface HookPlaces {
  /** A file for each session of a host, in a folder for each repository. */
  readonly sessions: string;
  /** Saves that wait for the next opening of the store. */
  readonly incoming: string;
  /** Refused saves, each beside a file with the reason. */
  readonly refused: string;
  /** An empty file for each session that was erased: it is never saved again. */
  readonly erased: string;
  /** Runs of hooks, a line of JSON each. */
  readonly log: string;
  /** Failures that are not reported yet. */
  readonly untold: string;
}

export function hookPlaces(dataDir: string): HookPlaces {
  const hooks = path.join(dataDir, HOOKS);
  const incoming = path.join(dataDir, INCOMING);
  return {
    sessions: path.join(hooks, "sessions"),
    incoming,
    refused: path.join(incoming, "refused"),
    erased: path.join(hooks, "erased"),
    log: path.join(hooks, "runs.jsonl"),
    untold: path.join(hooks, "untold.json"),
  };
}

/** Folder of a repository's sessions: the same for its worktrees, and for clones of one remote. */
export function folderOfProject({ sessions }: HookPlaces, project: string | undefined, git: GitState | undefined): string {
  return path.join(sessions, shortDigest(git?.remote ?? git?.commonDir ?? project ?? "none"));
}

/** Folders in which sessions of a project may be: it may have got its remote, or its repository, since. */
export function foldersOfProject(places: HookPlaces, project: string | undefined, git: GitState | undefined): readonly string[] {
  const { remote: _remote, ...local } = git ?? { root: "", commonDir: "" };
  const folders = [folderOfProject(places, project, git), folderOfProject(places, project, git === undefined ? undefined : local)];
  return [...new Set([...folders, folderOfProject(places, project, undefined)])];
}

/** The state file of a session. It stays in the folder of the first save, also when the session changes its directory. */
export function stateFile({ sessions }: HookPlaces, folder: string, sessionId: string): string {
  const name = `${shortDigest(sessionId)}.json`;
  const own = path.join(folder, name);
  if (fs.existsSync(own)) return own;
  return (
    namesIn(sessions)
      .map((each) => path.join(sessions, each, name))
      .find((file) => fs.existsSync(file)) ?? own
  );
}

export function erasedMark({ erased }: HookPlaces, sessionId: string): string {
  return path.join(erased, shortDigest(sessionId));
}

/** Returns a short digest of a text, as a file name. */
export function shortDigest(text: string): string {
  return quickDigest(Buffer.from(text));
}
