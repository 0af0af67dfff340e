import path from "node:path";
import type { GitState } from "@workrail/core";
import type { TranscriptFacts } from "@workrail/host-transcripts";
import { GitReader } from "../git/read-git-state.ts";
import { folderOfProject, type HookPlaces } from "../hooks/hook-places.ts";
import { findProject } from "../project.ts";

/** The place where an imported session worked. */
export interface TranscriptPlace {
  readonly cwd: string | undefined;
  readonly project: string | undefined;
  /** The repository as it is now, with the branch of the session. The commit of the session is unknown. */
  readonly git: GitState | undefined;
  /** Folder with the states of its repository's sessions. */
  readonly folder: string;
}

/** Finds the places of sessions. Examines each directory once. */
export class TranscriptPlaces {
  readonly #places: HookPlaces;
  readonly #known = new Map<string, Promise<Omit<TranscriptPlace, "cwd">>>();

  constructor(places: HookPlaces) {
    this.#places = places;
  }

  async of({ cwd, branch }: TranscriptFacts): Promise<TranscriptPlace> {
    const { git, ...place } = await this.#at(cwd ?? "");
    if (git === undefined) return { cwd, git, ...place };
    const { branch: _now, ...repository } = git;
    return { cwd, git: branch === undefined ? repository : { ...repository, branch }, ...place };
  }

  #at(cwd: string): Promise<Omit<TranscriptPlace, "cwd">> {
    const known = this.#known.get(cwd) ?? this.#look(cwd);
    this.#known.set(cwd, known);
    return known;
  }

  async #look(cwd: string): Promise<Omit<TranscriptPlace, "cwd">> {
    const project = path.isAbsolute(cwd) ? findProject(cwd) : undefined;
    const now = await new GitReader(project).read();
    const folder = folderOfProject(this.#places, project, now);
    if (now === undefined) return { project, git: undefined, folder };
    const { commit: _now, ...git } = now;
    return { project, git, folder };
  }
}

/** Tells whether a directory is the project's root or below it. */
export function isWithin(cwd: string | undefined, project: string): boolean {
  if (cwd === undefined) return false;
  const relative = path.relative(path.resolve(project), path.resolve(cwd));
  return relative === "" || (!relative.startsWith("..") && !path.isAbsolute(relative));
}
