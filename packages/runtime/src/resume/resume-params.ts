import type { CheckpointKind } from "@workrail/core";
import type { BriefViewResult, Standing, ViewCheckpointResult } from "../context-management-service.ts";
import type { Drift, SavedRepository } from "./find-drift.ts";

/**
 * Detail of the result. `summary`: one document in sections; `view`: the context within the budget; `full`: as much of the context as an
 * answer holds.
 */
export const RESUME_DEPTHS = ["summary", "view", "full"] as const;
export type ResumeDepth = (typeof RESUME_DEPTHS)[number];

/** Loads the checkpoint of an id that exists. With anything else lists candidates and loads nothing. */
export interface ResumeParams {
  readonly checkpointId?: string | undefined;
  /** Loads the session's latest checkpoint. Not together with `checkpointId`. */
  readonly sessionId?: string | undefined;
  /** Words about the work: its name, its goal, or anything in the saved data. 1 to 1,000 characters. */
  readonly hint?: string | undefined;
  /** Default `view`. */
  readonly depth?: ResumeDepth | undefined;
  /** Token budget of the loaded data. Default: 800, 4,000, or the limit of an answer, by depth. A summary takes at least 60. */
  readonly budgetTokens?: number | undefined;
  /**
   * Id of a checkpoint that the caller knows. `changes` then reports the differences, and `context` has only entries that were added or
   * changed. Alone it selects the latest checkpoint of its session. Not with a `summary`.
   */
  readonly since?: string | undefined;
  /** The current subject. When not everything fits, entries about it get more room. At most 2,000 characters. */
  readonly focus?: string | undefined;
  /** Most candidates. Default 5, at most 20. */
  readonly limit?: number | undefined;
  /** Current directory. Default: the working directory in which the store was opened. */
  readonly cwd?: string | undefined;
  /** Shows the answer that an agent would get: does not count as a use, and shields nothing from pruning. Default `false`. */
  readonly isPeek?: boolean | undefined;
}

/** The ids of `ResumeParams`, at least one of them. */
export type SavedRepositoryParams = Pick<ResumeParams, "checkpointId" | "sessionId" | "since">;

/** The repository when a checkpoint was saved. */
export interface SavedRepositoryResult extends SavedRepository {
  readonly checkpointId: string;
}

export type ResumeResult = ResumedWork | ResumeCandidates;

/** The checkpoint that was named by its id. */
export interface ResumedWork extends Omit<ViewCheckpointResult, "context" | "metadata"> {
  status: "LOADED";
  depth: ResumeDepth;
  /** With depth `view` or `full`. */
  context?: Record<string, unknown>;
  /** Same metadata as in a brief view. Absent when empty. */
  metadata?: BriefViewResult["metadata"];
  /** With depth `summary`: a Markdown document. */
  summary?: string;
  /** Time and author of the save. */
  origin: { savedAt: string; agentId?: string };
  /** With `since`: differences from that checkpoint. */
  changes?: ChangeFields;
  /** Changes in the repository since. Absent for a checkpoint saved outside of one. */
  drift?: Drift;
}

/** Differences from a known state. Names at most 20 entries of each kind; counts cover all. */
export interface ChangeFields {
  /** The known checkpoint. */
  since: string;
  added?: string[];
  addedCount?: number;
  /** By key: the change of its size (`5 items -> 7`), or `changed`. */
  changed?: Record<string, string>;
  changedCount?: number;
  removed?: string[];
  removedCount?: number;
  /** Number of unchanged entries. */
  unchanged: number;
}

/** Sessions that the caller may mean, the likeliest first. */
export interface ResumeCandidates extends Standing {
  status: "CANDIDATES";
  /** Advice for the caller, in words. */
  note: string;
  candidates: ResumeCandidate[];
  /** Total number; usually more than are listed. */
  total: number;
}

export interface ResumeCandidate {
  /** The session's latest checkpoint. Call again with this id to load it. */
  checkpointId: string;
  sessionId: string;
  /** Reason for this candidate, in words. */
  reason: string;
  /** ISO 8601. */
  savedAt: string;
  /** Name of the checkpoint; without a goal also the name of a session with a generated id. */
  name?: string;
  /** Beginning of the goal stated in the context. */
  goal?: string;
  /** Markdown summary, only for the single candidate that fits the place. The checkpoint does not count as loaded. */
  summary?: string;
  agentId?: string;
  /** Absent when it is `workflow`. */
  kind?: CheckpointKind;
  /** Nothing was saved in the session for 30 days. */
  stale?: true;
}

/** Selects the checkpoint. Give exactly one of the ids. */
export interface HandoffParams {
  readonly checkpointId?: string | undefined;
  readonly sessionId?: string | undefined;
  /** Tokens of the document, at least 300. Default 2,000. */
  readonly budgetTokens?: number | undefined;
  readonly focus?: string | undefined;
  /** As for `resumeWork`. */
  readonly isPeek?: boolean | undefined;
}

export interface HandoffResult extends Standing, Pick<ViewCheckpointResult, "fellBackFrom" | "fellBackFromCount"> {
  checkpointId: string;
  sessionId: string;
  /** Goal, state, decisions, next steps, open questions, files, commands and outcomes, and how to fetch the rest. */
  markdown: string;
  tokens: number;
  /** Entries of the context that are shortened in the document, and those left out. */
  shortened: number;
  leftOut: number;
  /** ISO 8601. `checkpointId` leads to the original until then. Absent when the store cannot promise it. */
  validUntil?: string;
  /** Why the project's rules file cannot be used. */
  contextRulesWarning?: string;
  /** Warns that the session belongs to another project, and names that project. */
  warning?: string;
}
