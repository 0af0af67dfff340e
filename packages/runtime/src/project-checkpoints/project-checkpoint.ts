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
  /** Tokens of all that it says, which is what is embedded where there is an embedder. */
  tokenCount: number;
  /** ISO 8601. */
  createdAt: string;
  /** ISO 8601. A checkpoint never changes: it is `createdAt`. */
  updatedAt: string;
  /** Which tools made it; absent for those of a project. */
  kind?: Exclude<CheckpointKind, "project">;
  /** `description` is only the beginning of the context. */
  isCut?: true;
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
