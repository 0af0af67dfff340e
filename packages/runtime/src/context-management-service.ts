import type {
  AdvancedReport,
  CheckpointKind,
  CompressionStrategy,
  ContextRules,
  Durability,
  EntryPath,
  LargestCritical,
  Layer,
  LayerSummary,
  NamedEntries,
  Omissions,
  Range,
  ShortenedEntry,
  UnreadableCheckpoint,
  ViewReport,
  ViewValue,
} from "@workrail/core";
import type { OmittedFields } from "./fit-fields.ts";
import type { ToldSecrets } from "./secrets/told-secrets.ts";

/** What the specification calls the server-side service; every method may reject with a `WorkrailError`. */
export interface IContextManagementService {
  /** Saves a context as its session's latest checkpoint. */
  saveCheckpoint(params: SaveCheckpointParams): Promise<SaveCheckpointResult>;
  /** Loads one checkpoint, or a session's latest, whole. */
  loadCheckpoint(params: LoadCheckpointParams): Promise<LoadCheckpointResult>;
  /** Lists a session's checkpoints, newest first. */
  listCheckpoints(params: {
    readonly sessionId: string;
    readonly limit?: number | undefined;
    readonly offset?: number | undefined;
  }): Promise<CheckpointMetadata[]>;
  /** Makes a context fit a budget: what matters whole, the rest shortened, with a report and a way back. */
  compressContext(params: CompressContextParams): Promise<ShapedContextResult>;
  /** Orders a context by layers, drops what is EPHEMERAL, and holds each layer to its budget. */
  prioritizeContext(params: PrioritizeContextParams): Promise<ShapedContextResult>;
  /** Pins an entry of the session's latest context: it stays CRITICAL in all later checkpoints. */
  markCritical(params: MarkCriticalParams): Promise<MarkCriticalResult>;
}

export interface SaveCheckpointParams {
  /** An unknown one creates that session. Absent: see `SessionReason`. */
  readonly sessionId?: string | undefined;
  /** The whole state: any JSON object, or its JSON text. It comes back exactly, key order included. Exactly one of this and `patch`. */
  readonly context?: object | string | undefined;
  /** What changed since `parentId`, or else since the session's latest checkpoint; or its JSON text. It never starts a session. */
  readonly patch?: StatePatch | string | undefined;
  /** `name` and `tags` describe the checkpoint; other keys are kept and returned as they are. */
  readonly metadata?: CheckpointLabels | undefined;
  /** Save although nothing changed since the latest checkpoint. Default `false`. */
  readonly force?: boolean | undefined;
  readonly workflowId?: string | undefined;
  readonly agentId?: string | undefined;
  /** The checkpoint that this one continues (a fork, when it is not the latest). Default: the latest. */
  readonly parentId?: string | undefined;
  /** Compare and swap: save only if this is still the latest checkpoint; `null`: only if the session is new. */
  readonly expectedParentId?: string | null | undefined;
  /** The caller's own id: repeating the call with the same context is then harmless. */
  readonly checkpointId?: string | undefined;
  /** The phase of the workflow that ends here: the checkpoint is marked as its end, and is saved although nothing else changed. */
  readonly phase?: string | undefined;
  /** Default `workflow`. What is of another kind is always saved; the session of a `project` does not become the one in use. */
  readonly kind?: CheckpointKind | undefined;
  /** Root of the project that it belongs to, an absolute path. Default: the store's own. */
  readonly project?: string | undefined;
  /** `all`: nothing of the session is pruned, by count, age or quota, from now on; in `metadata` it means the same. `keepSession` takes it back. Default: as it is. */
  readonly retention?: "all" | undefined;
  /** How the context's entries are to be classified. Default: as the project's file of rules says, if it has one. */
  readonly contextRules?: GivenContextRules | undefined;
}

/**
 * Changes of a state, read against one base in one step. A name is a top-level key that the base has; otherwise, when it begins with `/`,
 * a JSON Pointer whose parent must exist; otherwise a new top-level key.
 */
export interface StatePatch {
  /** New whole values. `null` is stored. An object, or its JSON text; so with the others. */
  readonly set?: object | string | undefined;
  /** Items for the end of lists. A list is made when there is none; a value that is no list is one item. */
  readonly append?: object | string | undefined;
  readonly remove?: readonly string[] | string | undefined;
}

/** What a patch did. Parts without anything in them are left out; of many names the first are told. */
export interface PatchedState {
  /** The checkpoint that was changed. */
  base: string;
  set?: string[];
  /** How many items were appended. */
  appended?: Record<string, number>;
  removed?: string[];
  /** What was to be removed and is not there. */
  notFound?: string[];
  /** Sizes of lists, objects and long texts that `set` replaced: `5 items -> 2`. */
  replaced?: Record<string, string>;
  /** How many top-level entries were kept as they were. */
  keptKeys: number;
  /** How many names are not told. */
  namesLeft?: number;
}

/** Rules as people write them: a phase may be its name alone. */
export interface GivenContextRules extends Omit<ContextRules, "phases"> {
  readonly phases?: readonly (string | { readonly name: string; readonly checkpoint?: boolean | undefined })[] | undefined;
}

export interface CheckpointLabels {
  readonly name?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly [key: string]: unknown;
}

/**
 * How the session of a save without `sessionId` was found: `given` by the caller; the one this process already uses
 * for that workflow (`process`); `derived` from the workflow and its first context; or a `fresh` one.
 */
export type SessionReason = "given" | "process" | "derived" | "fresh";

/** Where what an answer tells of is safe. */
export interface Standing {
  durability: Durability;
  /** The disk cannot be written to: what is saved now is kept in memory until it can. */
  degraded?: true;
  /** Why: a reason of `STORAGE_UNAVAILABLE`. */
  degradedReason?: string;
}

export interface SaveCheckpointResult extends Standing {
  /** With `SKIPPED_UNCHANGED`: the checkpoint that already holds this context. */
  checkpointId: string;
  sessionId: string;
  sessionReason: SessionReason;
  status: "SAVED" | "SKIPPED_UNCHANGED";
  /** Compressed size of the checkpoint as stored, in bytes. */
  sizeBytes: number;
  parentId: string | null;
  /** ISO 8601. */
  createdAt: string;
  contextHash: string;
  blobPath: string;
  /** What the patch did, where one was given. */
  patched?: PatchedState;
  /** Entries that the parent has and this state has not: pinned and CRITICAL ones first. */
  droppedKeys?: string[];
  /** How many those are, when not all are told. */
  droppedKeysCount?: number;
  /** Pinned or CRITICAL entries were dropped, or the session belongs to another project, and what to do if that was not meant. */
  warning?: string;
  /** Fields that came as texts and were read as JSON, such as `patch.set`. */
  parsedFromText?: string[];
  /** On a skip: what the call brought that the existing checkpoint does not have, and that was not kept. */
  ignored?: ("checkpointId" | "parentId" | "workflowId" | "agentId" | "name" | "tags" | "metadata" | "keyOrder")[];
  /** Keys of `metadata` that are the product's own and were therefore not taken from the call. */
  ignoredMetadata?: string[];
  /** Checkpoints removed because the session reached its limit. */
  pruned?: number;
  /** Checkpoints that went to the trash because the session reached its limit. */
  prunedToTrash?: number;
  /** The store begins to fill up: how full it is, and what happens when it goes on so. Told once. */
  quotaWarning?: string;
  /** What looks like a secret in what was saved, and what became of it. */
  secrets?: ToldSecrets;
  /** The project's file of context rules cannot be used, and why: the save went by the default rules. */
  contextRulesWarning?: string;
}

export interface LoadCheckpointParams {
  readonly checkpointId?: string | undefined;
  /** Loads the session's latest checkpoint. Exactly one of the two must be given. */
  readonly sessionId?: string | undefined;
  /** Only a look, as for a listing: it does not count as a use, and whoever looks does not go on in the session. Default `false`. */
  readonly isPeek?: boolean | undefined;
}

export interface LoadCheckpointResult extends Standing {
  checkpointId: string;
  sessionId: string;
  context: Record<string, unknown>;
  metadata: CheckpointMetadata;
  /** Entries that its parent had and it has not, as far as a checkpoint names them: pinned and CRITICAL ones first. */
  droppedKeys?: string[];
  /** How many those are, when not all are told. */
  droppedKeysCount?: number;
  /** Newer checkpoints of the session that cannot be read, newest first: this one stands in for them. */
  fellBackFrom?: readonly UnreadableCheckpoint[];
  /** The session belongs to another project than the one that this store is used from, and to which. */
  warning?: string;
}

/** The specification's metadata of a checkpoint, and after it whatever else the caller had saved with it. */
export interface CheckpointMetadata {
  id: string;
  sessionId: string;
  name?: string;
  agentId?: string;
  workflowId?: string;
  /** Absolute path of the project it was saved in. */
  project?: string;
  /** The project that its session belongs to, where that is another one. */
  sessionProject?: string;
  /** A readable name of its session, where that has a generated id. */
  sessionName?: string;
  /** ISO 8601. */
  createdAt: string;
  /** ISO 8601. */
  lastAccessedAt: string;
  tags?: string[];
  /** Compressed size as stored, in bytes. */
  contextSizeBytes: number;
  /** SHA-256 of the canonical context (RFC 8785). */
  contextHash: string;
  /** Relative to the data directory. */
  blobPath: string;
  parentId: string | null;
  kind: CheckpointKind;
  /** Place in the session, from 1. */
  sequence: number;
  /** How many of the context's entries were in each layer when it was saved. */
  layers?: LayerSummary;
  /** The phase of the workflow that ended with it. */
  phase?: string;
  /** Where its repository stood: the branch, and the start of the commit. Absent outside of a repository. */
  gitState?: { branch?: string; commit?: string };
  /** Pinned entries of the session. */
  criticalKeys?: string[];
  /** Its bytes proved wrong or gone: it cannot be loaded. */
  damaged?: true;
  [key: string]: unknown;
}

export interface MarkCriticalParams {
  /** Default: the only session this process has used; an error that lists them when there are several. */
  readonly sessionId?: string | undefined;
  readonly contextKey: string;
  /** `false` takes the pin back. Default `true`. */
  readonly critical?: boolean | undefined;
  readonly agentId?: string | undefined;
}

export interface MarkCriticalResult extends Standing {
  status: "SUCCESS" | "KEY_NOT_FOUND";
  message: string;
  sessionId: string;
  criticalKeys: string[];
}

/** Filters of a listing; all must hold. Times are ISO 8601. */
export interface FindCheckpointsParams {
  /** Absent: all sessions of the project, or of the whole store outside of any project. */
  readonly sessionId?: string | undefined;
  /** `null`: whatever the project. Default: the project of the working directory, unless `sessionId` is given. */
  readonly project?: string | null | undefined;
  /** All but those of this project. */
  readonly notProject?: string | undefined;
  /** With the project, also what was saved in other worktrees of its repository. Default `false`. */
  readonly worktrees?: boolean | undefined;
  /** All of them must be on the checkpoint, or on its session; each as it is spelled. */
  readonly tags?: readonly string[] | undefined;
  /** Part of the name, without regard to case. */
  readonly name?: string | undefined;
  /** Words, each a part of the name, a tag, the attributes, the workflow or the agent, without regard to case. Contexts are not looked into: see `searchCheckpoints`. */
  readonly query?: string | undefined;
  /** Saved at this time or later. Default: no bound. */
  readonly since?: string | undefined;
  /** Saved at this time or earlier. Default: no bound. */
  readonly until?: string | undefined;
  /** Exactly this one; so with `agentId`. */
  readonly workflowId?: string | undefined;
  readonly agentId?: string | undefined;
  /** Only ends of this phase. */
  readonly phase?: string | undefined;
  /** Default: all but asides. */
  readonly kind?: CheckpointKind | undefined;
  /** Default 20, at most 100. */
  readonly limit?: number | undefined;
  /** How many to pass over, from the newest. Default 0. */
  readonly offset?: number | undefined;
}

export interface FindCheckpointsResult extends Standing {
  checkpoints: CheckpointMetadata[];
  total: number;
  limit: number;
  offset: number;
  /** The session asked for, when there is one. */
  session?: SessionMetadata;
}

/** The specification's `Session`. */
export interface SessionMetadata {
  id: string;
  createdAt: string;
  lastAccessedAt: string;
  tags?: string[];
  totalSizeBytes: number;
  checkpointCount: number;
  /** How many of them are damaged, if some are. */
  damagedCount?: number;
  criticalKeys?: string[];
  /** Nothing of it is pruned, by count, age or quota: it is tagged `keep`. */
  retention?: "all";
  /** The project of its first save, where listings of sessions know it. */
  project?: string;
}

export interface ViewCheckpointParams extends LoadCheckpointParams {
  /** Tokens the whole answer should take; soft for pinned entries. Default and most: the ceiling. */
  readonly budgetTokens?: number | undefined;
  /** What matters now: where not all fits, what is about it gets more room. */
  readonly focus?: string | undefined;
  /** Everything, whatever its size. */
  readonly full?: boolean | undefined;
  /** Only these: a string names an entry and comes in `context`, a path comes in `values`. */
  readonly keys?: readonly EntryPath[] | undefined;
  /** A part of the one value that `keys` names. */
  readonly range?: Range | undefined;
  /** `nextCursor` of an earlier answer: go on naming what was left out. */
  readonly cursor?: string | undefined;
}

/** As `ViewCheckpointResult`, with no more around the context than a reader needs who pays by token. */
export interface BriefViewResult extends Omit<ViewCheckpointResult, "metadata"> {
  /** Without what the rest of the answer says, what a listing tells, and what goes without saying. With `full`, all of it. */
  metadata: Partial<CheckpointMetadata>;
  /** When and by whom it was saved. */
  origin: { savedAt: string; agentId?: string };
}

export interface ViewCheckpointResult extends LoadCheckpointResult {
  /** How many those in `fellBackFrom` are, when not all are told. */
  fellBackFromCount?: number;
  /** Fields of `metadata` that were left out because they are too large for an answer; `full` brings them. */
  metadataOmitted?: OmittedFields;
  values?: readonly ViewValue[];
  /** How many paths, the last in `keys`, found no room at all: ask for them again. */
  valuesLeft?: number;
  /** Keys and paths that name nothing in the context. */
  missing?: readonly EntryPath[];
  /** Keys whose names are like those. */
  nearest?: readonly string[];
  /** How many those are, when not all are told. */
  missingCount?: number;
  /** Entries that are there in part: those that miss most first. Absent when all are whole, or were asked for by `keys`. */
  shortened?: NamedEntries<ShortenedEntry>;
  /** Entries that are left out. */
  omitted?: Omissions;
  /** Tokens of the answer beyond `budgetTokens`: its description alone takes more. */
  budgetExceededBy?: number | undefined;
  /** How to get originals, where something is not whole. */
  how?: string;
  /** ISO 8601. Until then `checkpointId` leads to the originals. */
  validUntil?: string;
  /** The project's file of context rules cannot be used, and why. */
  contextRulesWarning?: string;
}

/** Exactly one of `context`, `checkpointId` and `sessionId` says what to take; beside `context`, `sessionId` says whose it is. */
export interface ShapeContextParams {
  /** A context that need not be saved. Unless it is what the session's latest checkpoint holds, it is saved as an aside. */
  readonly context?: object | undefined;
  readonly checkpointId?: string | undefined;
  /** Its latest checkpoint. With `context`: its critical keys hold, and the aside is kept with it. Default: the only one in use. */
  readonly sessionId?: string | undefined;
  /**
   * The most tokens: of the whole result from 1,000 on; below, of `context` as JSON, and CRITICAL entries may go beyond it. With `full` of
   * `context` always. Default and most: what an answer holds.
   */
  readonly budgetTokens?: number | undefined;
  /** For programs: the result may be larger than an answer; `budgetTokens` alone bounds it. Default `false`. */
  readonly full?: boolean | undefined;
  /** What matters now: where not all fits, what is about it gets more room. */
  readonly focus?: string | undefined;
  /** How entries are classified. Default: as the project's file of rules says, if it has one. */
  readonly contextRules?: GivenContextRules | undefined;
  /** `nextCursor` of an earlier answer to the same call: go on with the report. */
  readonly cursor?: string | undefined;
  readonly agentId?: string | undefined;
}

export interface CompressContextParams extends ShapeContextParams {
  /** Default `auto`. */
  readonly strategy?: CompressionStrategy | undefined;
  /** Only entries of these layers. Default: all. */
  readonly layers?: readonly Layer[] | undefined;
}

export interface PrioritizeContextParams extends ShapeContextParams {
  /** The most tokens for each layer; CRITICAL is not held to it. Default: shares of the budget, with unused room flowing on. */
  readonly budgets?: { readonly [L in Layer]?: number | undefined } | undefined;
  /** Only say what would become of each entry; nothing is saved. */
  readonly dryRun?: boolean | undefined;
}

export interface ShapedContextResult extends Standing {
  /** Of a dry run: empty. */
  context: Record<string, unknown>;
  /** Tokens of the whole context as JSON. */
  tokensBefore: number;
  /** Tokens of the resulting one. */
  tokensAfter: number;
  report: ViewReport;
  omitted?: Omissions;
  budgetExceededBy?: number;
  /** The CRITICAL entry that took most of the budget, where they went beyond it. */
  largestCritical?: LargestCritical;
  /** What a condenser had a part in; absent where none was asked. */
  advanced?: AdvancedReport;
  /** Holds the original, exactly; absent after a dry run of what is not saved, and with `notKept`. */
  checkpointId?: string;
  sessionId?: string;
  /** ISO 8601. Until then `checkpointId` leads to the original. Absent when the store cannot promise it. */
  validUntil?: string;
  /** Why the original of a context that was given could not be kept: it cannot be had back from here. */
  notKept?: string;
  /** What looks like a secret in the original of a context that was given. When it was redacted, the original is so too. */
  secrets?: ToldSecrets;
  /** How to get originals. */
  how?: string;
  /** The project's file of context rules cannot be used, and why. */
  contextRulesWarning?: string;
  /** When and by whom the context was saved, unless the caller gave it. */
  origin?: { savedAt: string; agentId?: string };
}
