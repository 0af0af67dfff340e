import type { SearchCheckpointsParams } from "../search/search-checkpoints.ts";
import type { SecretsFields } from "../secrets/secrets-fields.ts";
import type { CheckpointKind } from "@workrail/core";
import type { Standing } from "../context-management-service.ts";
import type { ProjectContext, ProjectDraft } from "./project-draft.ts";

/** A checkpoint of a project: a summary of work done, and its time. Checkpoints of other tools are read in this form too. */
export interface ProjectCheckpoint {
  /** UUID v4, valid in every call that takes a checkpoint id. */
  id: string;
  /** 1 to 500 characters. For checkpoints of other tools: the name, else the subject named in the context, else its first text. */
  summary: string;
  /** At most 10,000 characters; `""` for none. For checkpoints of other tools: the context as JSON. */
  description: string;
  /** Absolute path; `""` for a checkpoint saved outside of any project. */
  projectPath: string;
  /** The context as given. For checkpoints of other tools: their session, workflow, agent, phase and further metadata. */
  context: ProjectContext;
  tags: string[];
  /** Tokens of the whole text. An embedder, if there is one, receives the beginning of that text. */
  tokenCount: number;
  /** ISO 8601. */
  createdAt: string;
  /** ISO 8601. Equal to `createdAt`, since a checkpoint never changes. */
  updatedAt: string;
  /** Kind of a checkpoint of other tools; absent for checkpoints of a project. */
  kind?: Exclude<CheckpointKind, "project">;
  /** `description` is only the beginning of the context. */
  isCut?: true;
  /** `context` is incomplete: the metadata has values that a project's context cannot hold. */
  isContextCut?: true;
  /** The file is wrong or missing, so nothing else is known of the checkpoint. */
  damaged?: true;
}

export interface CreateProjectCheckpoint extends ProjectDraft {
  /** Absolute path of an existing directory. */
  readonly projectPath: string;
  /** The agent that saves. */
  readonly agentId?: string | undefined;
  /** Counts the save against the project's rate limit, as a server does for its clients. Default `false`. */
  readonly isRateLimited?: boolean | undefined;
}

export interface CreatedProjectCheckpoint extends ProjectCheckpoint, Standing {
  /** Warns that the store fills up: how full it is, and what happens next. Reported once. */
  quotaWarning?: string;
  /** Likely secrets in the given data. If they were redacted, the saved data has placeholders. */
  secrets?: SecretsFields;
}

export interface SearchProjectCheckpoints extends Pick<SearchCheckpointsParams, "signal" | "onProgress"> {
  /** 1 to 10,000 characters. Any of the words may match; a phrase in quotation marks must match. */
  readonly query: string;
  /** Default: all projects; the store's own project breaks ties. */
  readonly projectPath?: string | undefined;
  /** The checkpoint must have all of these tags. */
  readonly tags?: readonly string[] | undefined;
  /** Default 5, at most 100. */
  readonly topK?: number | undefined;
}

export interface FoundProjectCheckpoint {
  checkpoint: ProjectCheckpoint;
  /** 0 to 1, best first. */
  score: number;
  /** `1 - score`. */
  distance: number;
  /** A part of the checkpoint's text with some of the words. */
  snippet?: string;
  /** Matches by meaning, without any of the words. */
  by?: "meaning";
}

export interface FoundProjectCheckpoints extends Standing {
  results: FoundProjectCheckpoint[];
  /** The query that was used: the first 1,000 characters of the given one. */
  query: string;
  topK: number;
  /** Nothing matched exactly; these results are similar. */
  loose?: true;
  /** Number of sessions with new texts that are not indexed yet; their results may be missing. */
  indexPending?: number;
}

export interface ListProjectCheckpoints {
  /** Default 10, at most 100. */
  readonly limit?: number | undefined;
  /** Default 0. */
  readonly offset?: number | undefined;
  /** Default: all projects, the store's own first. */
  readonly projectPath?: string | undefined;
  /** Sort key, newest first. Both are equal. Default `createdAt`. */
  readonly sortBy?: "createdAt" | "updatedAt" | undefined;
}

export interface ListedProjectCheckpoints extends Standing {
  checkpoints: ProjectCheckpoint[];
  /** Total number. */
  total: number;
  limit: number;
  offset: number;
}

/** Tells whether saves work, and where they go. */
export interface ProjectHealth extends Standing {
  /** The store is read-only: every save fails. */
  readonly readOnly?: true;
}
