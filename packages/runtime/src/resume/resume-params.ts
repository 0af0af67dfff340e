import type { CheckpointKind } from "@workrail/core";
import type { BriefViewResult, Standing, ViewCheckpointResult } from "../context-management-service.ts";
import type { Drift } from "./find-drift.ts";

/**
 * How much of a checkpoint comes back: a `summary`, one document in sections; a `view`, the context as far as the budget goes; or
 * `full`, as much of it as an answer holds.
 */
export const RESUME_DEPTHS = ["summary", "view", "full"] as const;
export type ResumeDepth = (typeof RESUME_DEPTHS)[number];

/** With an id that exists, that is loaded. With anything else candidates are told, and nothing is loaded. */
export interface ResumeParams {
  readonly checkpointId?: string | undefined;
  /** Its latest checkpoint. Not together with `checkpointId`. */
  readonly sessionId?: string | undefined;
  /** Words about the work: its name, its goal, anything in what was saved. 1 to 1,000 characters. */
  readonly hint?: string | undefined;
  /** Default `view`. */
  readonly depth?: ResumeDepth | undefined;
  /** Tokens for what is loaded. Default: 800, 4,000, or what an answer holds, by depth. A summary takes 60 at least. */
  readonly budgetTokens?: number | undefined;
  /**
   * The id of a checkpoint that one knows: `changes` tells what is different now, and `context` has only entries that were added or
   * changed. Alone it means the latest of its session. Not with a `summary`.
   */
  readonly since?: string | undefined;
  /** What matters now: where not all fits, what is about it gets more room. At most 2,000 characters. */
  readonly focus?: string | undefined;
  /** The most candidates. Default 5, at most 20. */
  readonly limit?: number | undefined;
  /** Where one is. Default: the working directory that the store was opened in. */
  readonly cwd?: string | undefined;
}

export type ResumeResult = ResumedWork | ResumeCandidates;

/** What was asked for by its id. */
export interface ResumedWork extends Omit<ViewCheckpointResult, "context" | "metadata"> {
  status: "LOADED";
  depth: ResumeDepth;
  /** Of a `view` and of `full`. */
  context?: Record<string, unknown>;
  /** As a brief view has it. Absent where there is nothing to say. */
  metadata?: BriefViewResult["metadata"];
  /** Of a `summary`: a document in markdown. */
  summary?: string;
  /** When and by whom it was saved. */
  origin: { savedAt: string; agentId?: string };
  /** With `since`: what is different now. */
  changes?: ToldChanges;
  /** What happened in the repository since. Absent for what was saved outside of one. */
  drift?: Drift;
}

/** How a state differs from the one that was known. Names of at most 20 entries each; counts are of all. */
export interface ToldChanges {
  /** The checkpoint that was known. */
  since: string;
  added?: string[];
  addedCount?: number;
  /** By key: how its size changed (`5 items -> 7`), or `changed`. */
  changed?: Record<string, string>;
  changedCount?: number;
  removed?: string[];
  removedCount?: number;
  /** How many entries are the same. */
  unchanged: number;
}

/** Sessions that may be meant, the likeliest first. */
export interface ResumeCandidates extends Standing {
  status: "CANDIDATES";
  /** What to do about it, in words. */
  note: string;
  candidates: ResumeCandidate[];
  /** How many there are; more than are told, as a rule. */
  total: number;
}

export interface ResumeCandidate {
  /** Of the session's latest checkpoint: to load it, call again with this. */
  checkpointId: string;
  sessionId: string;
  /** Why it may be the one that is meant, in words. */
  reason: string;
  /** ISO 8601. */
  savedAt: string;
  /** Of the checkpoint; else, where there is no goal, that of a session with a generated id. */
  name?: string;
  /** The beginning of what its context says that it is for. */
  goal?: string;
  /** In Markdown: what one needs to go on, where this is the only candidate that fits the place. Nothing is loaded by that. */
  summary?: string;
  agentId?: string;
  /** Unless it is `workflow`. */
  kind?: CheckpointKind;
  /** Nothing was saved in it for 30 days. */
  stale?: true;
}

/** Exactly one of the ids. */
export interface HandoffParams {
  readonly checkpointId?: string | undefined;
  readonly sessionId?: string | undefined;
  /** Tokens of the document: 300 or more. Default 2,000. */
  readonly budgetTokens?: number | undefined;
  readonly focus?: string | undefined;
}

export interface HandoffResult extends Standing, Pick<ViewCheckpointResult, "fellBackFrom" | "fellBackFromCount"> {
  checkpointId: string;
  sessionId: string;
  /** Goal, state, decisions, next steps, open questions, files, commands and outcomes, and how to get the rest. */
  markdown: string;
  tokens: number;
  /** Entries of the context that are shortened in it, and those that are not in it. */
  shortened: number;
  leftOut: number;
  /** ISO 8601. Until then `checkpointId` leads to the original; absent when the store cannot promise it. */
  validUntil?: string;
  /** The project's file of context rules cannot be used, and why. */
  contextRulesWarning?: string;
  /** The session belongs to another project, and to which. */
  warning?: string;
}
