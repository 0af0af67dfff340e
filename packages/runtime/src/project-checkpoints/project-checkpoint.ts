import type { ToldSecrets } from "../secrets/told-secrets.ts";
import type { CheckpointKind, ProjectContext, ProjectDraft } from "@workrail/core";
import type { Standing } from "../context-management-service.ts";

/** A checkpoint of a project: what was done, and when. Checkpoints that other tools made are read as such, too. */
export interface ProjectCheckpoint {
  /** UUID v4. Every call that takes a checkpoint's id takes it. */
  id: string;
  /** 1 to 500 characters. Of other tools' checkpoints: the name, else what the context says it is about, else its first text. */
  summary: string;
  /** At most 10,000 characters; `""` for none. Of other tools' checkpoints: the context as JSON. */
  description: string;
  /** Absolute; `""` where the checkpoint was saved outside of any project. */
  projectPath: string;
  /** As it was given. Of other tools' checkpoints: their session, workflow, agent, phase and further metadata. */
  context: ProjectContext;
  tags: string[];
  /** Tokens of all that it says. An embedder, where there is one, is given the beginning of that. */
  tokenCount: number;
  /** ISO 8601. */
  createdAt: string;
  /** ISO 8601. A checkpoint never changes: it is `createdAt`. */
  updatedAt: string;
  /** Which tools made it; absent for those of a project. */
  kind?: Exclude<CheckpointKind, "project">;
  /** `description` is only the beginning of the context. */
  isCut?: true;
  /** `context` is not all of it: the metadata has what a project's cannot have. */
  isContextCut?: true;
  /** Its file proved wrong or gone: there is no more of it than this. */
  damaged?: true;
}

export interface CreateProjectCheckpoint extends ProjectDraft {
  /** Absolute path of a directory that exists. */
  readonly projectPath: string;
  /** Who saves. */
  readonly agentId?: string | undefined;
  /** Count it against the project's rate limit, as a server does for those it serves. Default `false`. */
  readonly isRateLimited?: boolean | undefined;
}

export interface CreatedProjectCheckpoint extends ProjectCheckpoint, Standing {
  /** The store begins to fill up: how full it is, and what happens when it goes on so. Told once. */
  quotaWarning?: string;
  /** What looks like a secret in what was given. When it was redacted, what was saved has placeholders. */
  secrets?: ToldSecrets;
}

export interface SearchProjectCheckpoints {
  /** 1 to 10,000 characters: words, any of which may occur; "what is in quotation marks" must occur as such. */
  readonly query: string;
  /** Default: everything; the store's own project breaks ties. */
  readonly projectPath?: string | undefined;
  /** All of them must be on the checkpoint. */
  readonly tags?: readonly string[] | undefined;
  /** Default 5, at most 100. */
  readonly topK?: number | undefined;
}

export interface FoundProjectCheckpoint {
  checkpoint: ProjectCheckpoint;
  /** 0 to 1, the best first. */
  score: number;
  /** `1 - score`. */
  distance: number;
  /** A piece of the checkpoint's text with some of the words. */
  snippet?: string;
  /** It has none of the words, but means the like. */
  by?: "meaning";
}

export interface FoundProjectCheckpoints extends Standing {
  results: FoundProjectCheckpoint[];
  /** What was searched for: the first 1,000 characters of what was asked for. */
  query: string;
  topK: number;
  /** Nothing matched as asked: these are like it. */
  loose?: true;
  /** Sessions whose newest texts are not indexed yet: what they brought may be missing. */
  indexPending?: number;
}

export interface ListProjectCheckpoints {
  /** Default 10, at most 100. */
  readonly limit?: number | undefined;
  /** Default 0. */
  readonly offset?: number | undefined;
  /** Default: everything, the store's own project first. */
  readonly projectPath?: string | undefined;
  /** Newest first by either; they are the same. Default `createdAt`. */
  readonly sortBy?: "createdAt" | "updatedAt" | undefined;
}

export interface ListedProjectCheckpoints extends Standing {
  checkpoints: ProjectCheckpoint[];
  /** How many there are in all. */
  total: number;
  limit: number;
  offset: number;
}

/** Whether a save would be kept, and where. */
export interface ProjectHealth extends Standing {
  /** The store is open for reading only: every save fails. */
  readonly readOnly?: true;
}
