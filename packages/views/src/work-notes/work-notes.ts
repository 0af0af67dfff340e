import type { JsonObject } from "@workrail/core";
import type { WorkState } from "../handoff/cues.ts";
import type { NumberedLines } from "./lines-about.ts";

/** Notes of an agent's session, taken while its transcript is read. JSON of bounded size, so reading can continue where it stopped. */
export interface WorkNotes {
  readonly version: 1;
  /** The first prompt of the session, and the last ones. */
  readonly prompts: readonly NotedText[];
  /** Sentences of prompts that forbid or limit something, verbatim, oldest first. */
  readonly prohibitions: readonly string[];
  /** Sentences of prompts that demand something, verbatim, oldest first. */
  readonly requirements: readonly string[];
  readonly plan: readonly PlanItem[];
  /** Ordered by last use, the latest last. */
  readonly files: readonly NotedFile[];
  /** Ordered by last run, the latest last. */
  readonly commands: readonly NotedCommand[];
  /** The last calls, the latest last. */
  readonly steps: readonly NotedStep[];
  /** The most relevant lines of the last output, by their numbers; absent when the call failed: then its error is noted. */
  readonly output?: NumberedLines | undefined;
  /** Failures other than those of commands, the latest last, without those of files that were edited since. */
  readonly errors: readonly NotedError[];
  /** Sentences of the model that decide something, the latest last. */
  readonly decisions: readonly string[];
  /** Texts of the model, the latest last. */
  readonly replies: readonly NotedText[];
  /** The host's summary of earlier turns. */
  readonly summary?: string | undefined;
  /** Checkpoints that the agent saved itself, the latest of each session last. */
  readonly saves: readonly AgentSave[];
  /** Calls without a result so far. */
  readonly open: readonly OpenCall[];
  readonly counts: { readonly prompts: number; readonly replies: number; readonly calls: number };
  /** The last event: it shows who acts next. */
  readonly last: "nothing" | "prompt" | "reply" | "call" | "result" | "interrupted";
  readonly startedAt?: string | undefined;
  readonly lastAt?: string | undefined;
}

export interface NotedText {
  readonly text: string;
  readonly at?: string | undefined;
}

export interface PlanItem {
  readonly id?: string | undefined;
  readonly text: string;
  readonly state: WorkState;
}

/** A file in the arguments of a call. */
export interface TouchedFile {
  readonly path: string;
  readonly isEdit: boolean;
}

export interface NotedFile {
  readonly path: string;
  readonly edits: number;
  readonly reads: number;
  /** The path only occurs in the output of a tool. */
  readonly isSeen?: boolean | undefined;
}

export interface NotedCommand {
  readonly command: string;
  readonly runs: number;
  /** The result of the last run; `undefined` while it runs, or when the host does not say. */
  readonly outcome?: "ok" | "failed" | undefined;
  readonly exitCode?: number | undefined;
  /** Lines of the last failed run's output that give the reason. */
  readonly error?: string | undefined;
  /** The last line of output of the last successful run. */
  readonly said?: string | undefined;
}

export interface NotedStep {
  readonly id?: string | undefined;
  /** The command, or the tool and the file. */
  readonly did: string;
  /** The result in one line; `undefined` while it is unknown. */
  readonly said?: string | undefined;
}

export interface NotedError {
  readonly tool: string;
  readonly text: string;
  /** The file that the call named. */
  readonly path?: string | undefined;
}

export interface AgentSave {
  readonly checkpointId: string;
  readonly sessionId: string;
  readonly at?: string | undefined;
}

export interface OpenCall {
  readonly id?: string | undefined;
  readonly tool: string;
  readonly command?: string | undefined;
  readonly file?: TouchedFile | undefined;
  /** For the plan: the text of the item that the call creates. */
  readonly input?: JsonObject | undefined;
}

/** Notes of a session before any event. */
export const NO_NOTES: WorkNotes = {
  version: 1,
  prompts: [],
  prohibitions: [],
  requirements: [],
  plan: [],
  files: [],
  commands: [],
  steps: [],
  errors: [],
  decisions: [],
  replies: [],
  saves: [],
  open: [],
  counts: { prompts: 0, replies: 0, calls: 0 },
  last: "nothing",
};

/** The most members of each list: the oldest are dropped first. About 40 KB in all. */
export const MOST_NOTED = {
  prompts: 10,
  prohibitions: 24,
  requirements: 24,
  plan: 40,
  files: 120,
  commands: 60,
  steps: 8,
  errors: 8,
  decisions: 16,
  replies: 8,
  saves: 4,
  open: 16,
} as const;

/** Characters. */
export const LONGEST_NOTED = {
  goal: 6_000,
  prompt: 2_000,
  sentence: 400,
  command: 300,
  reply: 2_400,
  error: 600,
  summary: 8_000,
  path: 260,
} as const;
