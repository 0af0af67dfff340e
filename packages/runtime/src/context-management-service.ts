import type {
  AttributeFilter,
  CheckpointKind,
  CompressionStrategy,
  ContextRules,
  Durability,
  JsonObject,
  Layer,
  LayerSummary,
  UnreadableCheckpoint,
  WorkrailError,
} from "@workrail/core";
import type {
  AdvancedReport,
  EntryPath,
  LargestCritical,
  NamedEntries,
  Omissions,
  Range,
  ShortenedEntry,
  ViewReport,
  ViewValue,
} from "@workrail/views";
import type { OmittedFields } from "./fit-fields.ts";
import type { SecretsFields } from "./secrets/secrets-fields.ts";

/** The server-side service of the specification. Every method may reject with a `WorkrailError`. */
export interface IContextManagementService {
  /** Saves a context as its session's latest checkpoint. */
  saveCheckpoint(params: SaveCheckpointParams): Promise<SaveCheckpointResult>;
  /**
   * Loads one checkpoint, or a session's latest, whole.
   *
   * @typeParam State the type that the caller saved; it is not checked.
   */
  loadCheckpoint<State extends object = Record<string, unknown>>(params: LoadCheckpointParams): Promise<LoadCheckpointResult<State>>;
  /** Lists a session's checkpoints, newest first. */
  listCheckpoints(params: {
    readonly sessionId: string;
    readonly limit?: number | undefined;
    readonly offset?: number | undefined;
  }): Promise<CheckpointMetadata[]>;
  /** Fits a context into a budget: keeps important entries whole, shortens the rest, and returns a report and a handle to the original. */
  compressContext(params: CompressContextParams): Promise<ShapedContextResult>;
  /** Orders a context by layers, drops EPHEMERAL entries, and holds each layer to its budget. */
  prioritizeContext(params: PrioritizeContextParams): Promise<ShapedContextResult>;
  /** Pins an entry of the session's latest context: it stays CRITICAL in all later checkpoints. */
  markCritical(params: MarkCriticalParams): Promise<MarkCriticalResult>;
}

export interface SaveCheckpointParams {
  /** An unknown id creates the session. Absent: see `SessionReason`. */
  readonly sessionId?: string | undefined;
  /** The whole state: any JSON object, or its JSON text. Loading returns exactly this, including key order. Give either this or `patch`. */
  readonly context?: object | string | undefined;
  /** Changes since `parentId`, or else since the session's latest checkpoint; or their JSON text. A patch never starts a session. */
  readonly patch?: StatePatch | string | undefined;
  /** `name` and `tags` describe the checkpoint; other keys are stored and returned unchanged. */
  readonly metadata?: CheckpointLabels | undefined;
  /** Saves even if nothing changed since the latest checkpoint. Default `false`. */
  readonly force?: boolean | undefined;
  readonly workflowId?: string | undefined;
  readonly agentId?: string | undefined;
  /** The checkpoint that this one continues; `null`: none. Any but the latest makes a fork. Default: the latest. */
  readonly parentId?: string | null | undefined;
  /** Compare and swap: save only if this is still the latest checkpoint; `null`: only if the session is new. */
  readonly expectedParentId?: string | null | undefined;
  /** The caller's own id. Repeating the call with the same context is then harmless. */
  readonly checkpointId?: string | undefined;
  /** The phase of the workflow that ends here. The checkpoint is marked as its end, and is saved even if nothing else changed. */
  readonly phase?: string | undefined;
  /** Default `workflow`. A checkpoint of another kind is always saved. A session of kind `project` does not become the one in use. */
  readonly kind?: CheckpointKind | undefined;
  /** Root of the checkpoint's project, an absolute path. Default: the store's project. */
  readonly project?: string | undefined;
  /**
   * `all`: from now on nothing of the session is pruned by count, age or quota. An attribute `retention` means the same. `keepSession` undoes
   * it. Default: unchanged.
   */
  readonly retention?: "all" | undefined;
  /** Rules that classify the context's entries. Default: the project's rules file, if there is one. */
  readonly contextRules?: GivenContextRules | undefined;
  /**
   * `off`: this save is not searched for secrets, and nothing is redacted: for a program whose state must come back exactly. Default: the
   * setting `secrets`.
   */
  readonly secrets?: "off" | undefined;
  /** `false`: the parent is not read, and `droppedKeys` stays absent. Default `true`. */
  readonly reportsDropped?: boolean | undefined;
}

/**
 * Changes of a state, all read against one base and applied in one step.
 *
 * A name is a top-level key that the base has; otherwise, when it begins with `/`, a JSON Pointer whose parent must exist; otherwise a new
 * top-level key.
 */
export interface StatePatch {
  /** New whole values; `null` is stored. An object or its JSON text, as in the other fields. */
  readonly set?: object | string | undefined;
  /** Items to append to lists. A missing list is created; a value that is not a list counts as one item. */
  readonly append?: object | string | undefined;
  readonly remove?: readonly string[] | string | undefined;
}

/** Effect of a patch. Empty parts are left out; long lists of names are cut. */
export interface PatchedState {
  /** The checkpoint that the patch changed. */
  base: string;
  set?: string[];
  /** Number of items appended, by name. */
  appended?: Record<string, number>;
  removed?: string[];
  /** Names to remove that do not exist. */
  notFound?: string[];
  /** Sizes of lists, objects and long texts that `set` replaced: `5 items -> 2`. */
  replaced?: Record<string, string>;
  /** Number of top-level entries left unchanged. */
  keptKeys: number;
  /** Number of names cut from the lists. */
  namesLeft?: number;
}

/** Context rules as people write them: a phase may be given by its name alone. */
export interface GivenContextRules extends Omit<ContextRules, "phases"> {
  readonly phases?: readonly (string | { readonly name: string; readonly checkpoint?: boolean | undefined })[] | undefined;
}

/** Labels of a save. Metadata of a load may be passed back unchanged: its other fields are left out, and `ignoredMetadata` names them. */
export interface CheckpointLabels {
  readonly name?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  /** The caller's own keys: JSON, at most 16,384 characters. A key cannot have the name of a field of `CheckpointMetadata`. */
  readonly attributes?: object | undefined;
}

/**
 * Origin of a save's session. `given`: by the caller; `process`: this process already uses it for that workflow; `derived`: from
 * the workflow and its first context; `fresh`: a new one.
 */
export type SessionReason = "given" | "process" | "derived" | "fresh";

/** Durability of the data that an answer refers to. */
export interface Standing {
  durability: Durability;
  /** The disk cannot be written to. Saves stay in memory until it can. */
  degraded?: true;
  /** The reason, one of the reasons of `STORAGE_UNAVAILABLE`. */
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
  /** Effect of the patch, if one was given. */
  patched?: PatchedState;
  /** Entries of the parent that this state lacks, pinned and CRITICAL ones first. */
  droppedKeys?: string[];
  /** Their number, when the list is cut. */
  droppedKeysCount?: number;
  /** Warns that pinned or CRITICAL entries were dropped, or that the session belongs to another project, and says how to correct that. */
  warning?: string;
  /** Fields given as text and parsed as JSON, such as `patch.set`. */
  parsedFromText?: string[];
  /** On a skip: fields of the call that the existing checkpoint does not have, and that were not stored. */
  ignored?: ("checkpointId" | "parentId" | "workflowId" | "agentId" | "name" | "tags" | "metadata" | "keyOrder")[];
  /** Keys of `metadata` that the product sets itself and did not take from the call. */
  ignoredMetadata?: string[];
  /** Checkpoints removed because the session reached its limit. */
  pruned?: number;
  /** Checkpoints moved to the trash because the session reached its limit. */
  prunedToTrash?: number;
  /** Warns that the store fills up: how full it is, and what happens next. Reported once. */
  quotaWarning?: string;
  /** Likely secrets in the saved data, and how they were treated. */
  secrets?: SecretsFields;
  /** Why the project's rules file cannot be used. The save used the default rules. */
  contextRulesWarning?: string;
}

export interface LoadCheckpointParams {
  readonly checkpointId?: string | undefined;
  /** Loads the session's latest checkpoint. Exactly one of the two must be given. */
  readonly sessionId?: string | undefined;
  /**
   * Reads without counting as a use, as for a listing, and does not make the session the one in use. Shields nothing from pruning. Default
   * `false`.
   */
  readonly isPeek?: boolean | undefined;
}

export interface LoadCheckpointResult<State extends object = Record<string, unknown>> extends Standing {
  checkpointId: string;
  sessionId: string;
  context: State;
  metadata: CheckpointMetadata;
  /**
   * Entries of its parent that this checkpoint lacks, pinned and CRITICAL ones first. A checkpoint stores a limited number of these names.
   */
  droppedKeys?: string[];
  /** Their number, when the list is cut. */
  droppedKeysCount?: number;
  /** Newer checkpoints of the session that cannot be read, newest first. This one was loaded in their place. */
  fellBackFrom?: readonly UnreadableCheckpoint[];
  /** Warns that the session belongs to another project than the store's, and names that project. */
  warning?: string;
}

export interface LoadCheckpointsParams {
  /** Ids of checkpoints, at most 1,000. */
  readonly ids: readonly string[];
  /** Reads without counting as a use. Default `false`. */
  readonly isPeek?: boolean | undefined;
}

export interface LoadCheckpointsResult<State extends object = Record<string, unknown>> {
  /** In the order of the ids, each once. */
  checkpoints: LoadCheckpointResult<State>[];
  /** Checkpoints that do not exist or cannot be read, with the reason. The others are loaded. */
  failed: { checkpointId: string; error: WorkrailError }[];
}

export interface LoadTextsParams {
  /** Ids of checkpoints, at most 1,000. */
  readonly ids: readonly string[];
  /** Loads the side records of each checkpoint too. Default `false`. */
  readonly withRecords?: boolean | undefined;
}

/** A checkpoint with its context as text. */
export interface LoadedTextResult {
  checkpointId: string;
  sessionId: string;
  /** The JSON text of the context, byte for byte as saved. */
  text: string;
  metadata: CheckpointMetadata;
  /** Its side records, in the order in which their keys came. Present when they were asked for. */
  records?: SideRecord[];
}

/** Bytes that a program stores with a checkpoint, under its own key. */
export interface SideRecord {
  key: string;
  bytes: Uint8Array;
}

export interface AppendRecordsParams {
  readonly checkpointId: string;
  /** Session of a checkpoint that may not be saved yet: its records are there when it is. Default: the checkpoint must exist. */
  readonly sessionId?: string | undefined;
  /** Records to append, all or none. A later record of a key replaces an earlier one, unless `ifAbsent`. */
  readonly records: readonly {
    /** 1 to 500 characters. */
    readonly key: string;
    readonly bytes: Uint8Array;
    /** Keeps an earlier record of this key. Default `false`. */
    readonly ifAbsent?: boolean | undefined;
  }[];
  readonly agentId?: string | undefined;
  /** `off`: as for a save. */
  readonly secrets?: "off" | undefined;
}

export interface LoadTextsResult extends Standing {
  /** In the order of the ids, each once. */
  checkpoints: LoadedTextResult[];
  /** Checkpoints that do not exist or cannot be read, with the reason. The others are loaded. */
  failed: { checkpointId: string; error: WorkrailError }[];
}

/** Metadata of a checkpoint as in the specification. */
export interface CheckpointMetadata {
  id: string;
  sessionId: string;
  name?: string;
  agentId?: string;
  workflowId?: string;
  /** Absolute path of the project in which it was saved. */
  project?: string;
  /** The project of its session, if that is another one. */
  sessionProject?: string;
  /** A readable name of its session, if the session has a generated id. */
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
  /** Number of the context's entries in each layer at the time of the save. */
  layers?: LayerSummary;
  /** The phase of the workflow that ended with this checkpoint. */
  phase?: string;
  /** State of the git repository: the branch, and the start of the commit's id. Absent outside of a repository. */
  gitState?: { branch?: string; commit?: string };
  /** Pinned entries of the session. */
  criticalKeys?: string[];
  /** The stored bytes are wrong or missing, so the checkpoint cannot be loaded. */
  damaged?: true;
  /** The caller's own keys, as it saved them. Absent when there are none. */
  attributes?: JsonObject;
}

export interface MarkCriticalParams {
  /** Default: the only session that this process has used. With several, the call fails and lists them. */
  readonly sessionId?: string | undefined;
  readonly contextKey: string;
  /** `false` removes the pin. Default `true`. */
  readonly critical?: boolean | undefined;
  readonly agentId?: string | undefined;
}

export interface MarkCriticalResult extends Standing {
  status: "SUCCESS" | "KEY_NOT_FOUND";
  message: string;
  sessionId: string;
  criticalKeys: string[];
}

/** Filters of a listing; all must match. Times are ISO 8601. */
export interface FindCheckpointsParams {
  /** Absent: all sessions of the project, or of the whole store outside of any project. */
  readonly sessionId?: string | undefined;
  /** `null`: all projects. Default: the project of the working directory, unless `sessionId` is given. */
  readonly project?: string | null | undefined;
  /** Excludes this project. */
  readonly notProject?: string | undefined;
  /** With the project, includes checkpoints saved in other worktrees of its repository. Default `false`. */
  readonly worktrees?: boolean | undefined;
  /** All of these tags must be on the checkpoint or on its session. Case-sensitive. */
  readonly tags?: readonly string[] | undefined;
  /** Part of the name, ignoring case. */
  readonly name?: string | undefined;
  /**
   * Words that must each occur in the name, a tag, the attributes, the workflow or the agent, ignoring case. Contexts are not searched: see
   * `searchCheckpoints`.
   */
  readonly query?: string | undefined;
  /** Saved at this time or later. Default: no bound. */
  readonly since?: string | undefined;
  /** Saved at this time or earlier. Default: no bound. */
  readonly until?: string | undefined;
  /** Exact match, as for `agentId`. */
  readonly workflowId?: string | undefined;
  readonly agentId?: string | undefined;
  /**
   * Attributes of the save, each with exactly this value: a text of at most 256 characters, a number, a boolean or null. Case-sensitive.
   */
  readonly attributes?: AttributeFilter | undefined;
  /** Only checkpoints that end this phase. */
  readonly phase?: string | undefined;
  /** Default: all kinds except asides. */
  readonly kind?: CheckpointKind | undefined;
  /** Default 20, at most 100. */
  readonly limit?: number | undefined;
  /** Number of newest checkpoints to skip. Default 0. */
  readonly offset?: number | undefined;
}

/** Filters as for `findCheckpoints`. */
export type EachCheckpointParams = Omit<FindCheckpointsParams, "limit" | "offset">;

export interface FindCheckpointsResult extends Standing {
  checkpoints: CheckpointMetadata[];
  total: number;
  limit: number;
  offset: number;
  /** The session asked for, if there is one. */
  session?: SessionMetadata;
}

/** `Session` of the specification. */
export interface SessionMetadata {
  id: string;
  createdAt: string;
  lastAccessedAt: string;
  tags?: string[];
  totalSizeBytes: number;
  checkpointCount: number;
  /** Number of damaged checkpoints, if there are any. */
  damagedCount?: number;
  criticalKeys?: string[];
  /** The session is tagged `keep`: nothing of it is pruned by count, age or quota. */
  retention?: "all";
  /** The project of its first save, if listings of sessions know it. */
  project?: string;
}

export interface ViewCheckpointParams extends LoadCheckpointParams {
  /** Token budget of the whole answer; pinned entries may exceed it. Default and maximum: the ceiling. */
  readonly budgetTokens?: number | undefined;
  /** The current subject. When not everything fits, entries about it get more room. */
  readonly focus?: string | undefined;
  /** Returns everything, whatever its size. */
  readonly full?: boolean | undefined;
  /** Only these entries. A string names an entry, returned in `context`; a path is returned in `values`. */
  readonly keys?: readonly EntryPath[] | undefined;
  /** A part of the one value that `keys` names. */
  readonly range?: Range | undefined;
  /** `nextCursor` of an earlier answer. Continues the list of omitted names. */
  readonly cursor?: string | undefined;
}

export interface BriefViewParams extends ViewCheckpointParams {
  /** Returns all metadata. Default `false`. */
  readonly details?: boolean | undefined;
}

/** A `ViewCheckpointResult` with little around the context, for readers who pay by token. */
export interface BriefViewResult extends Omit<ViewCheckpointResult, "metadata"> {
  /** Leaves out fields that the rest of the answer or a listing has, and defaults. With `details` or `full`, all fields. */
  metadata: Partial<CheckpointMetadata>;
  /** Time and author of the save. */
  origin: { savedAt: string; agentId?: string };
}

export interface ViewCheckpointResult extends LoadCheckpointResult {
  /** Length of `fellBackFrom`, when the list is cut. */
  fellBackFromCount?: number;
  /** Fields of `metadata` and attributes left out because they are too large for an answer. `full` returns them. */
  metadataOmitted?: OmittedFields;
  values?: readonly ViewValue[];
  /** Number of paths, the last in `keys`, that found no room at all. Ask for them again. */
  valuesLeft?: number;
  /** Keys and paths that do not exist in the context. */
  missing?: readonly EntryPath[];
  /** Existing keys with similar names. */
  nearest?: readonly string[];
  /** Length of `missing`, when the list is cut. */
  missingCount?: number;
  /** Entries returned in part, those that miss most first, then rewritten ones. Absent when all are whole, or were asked for by `keys`. */
  shortened?: NamedEntries<ShortenedEntry>;
  /** Entries left out. */
  omitted?: Omissions;
  /** Tokens of the answer beyond `budgetTokens`, when its description alone exceeds the budget. */
  budgetExceededBy?: number | undefined;
  /** The way to the originals, when an entry is not whole. */
  how?: string;
  /** ISO 8601. `checkpointId` leads to the originals until then. */
  validUntil?: string;
  /** Why the project's rules file cannot be used. */
  contextRulesWarning?: string;
}

/**
 * Selects the context. Give exactly one of `context`, `checkpointId` and `sessionId`. With `context`, `sessionId` names its session.
 */
export interface ShapeContextParams {
  /** A context that need not be saved. It is saved as an aside, unless the session's latest checkpoint holds the same. */
  readonly context?: object | undefined;
  readonly checkpointId?: string | undefined;
  /**
   * Takes the session's latest checkpoint. With `context`: its critical keys apply, and the aside is kept in it. Default: the only session
   * in use.
   */
  readonly sessionId?: string | undefined;
  /**
   * Token budget. From 1,000 on it bounds the whole result; below, it bounds `context` as JSON, and CRITICAL entries may exceed it. With
   * `full` it always bounds `context`. Default and maximum: the limit of an answer.
   */
  readonly budgetTokens?: number | undefined;
  /** For programs: the result may exceed the limit of an answer; only `budgetTokens` bounds it. Default `false`. */
  readonly full?: boolean | undefined;
  /** The current subject. When not everything fits, entries about it get more room. */
  readonly focus?: string | undefined;
  /** Rules that classify entries. Default: the project's rules file, if there is one. */
  readonly contextRules?: GivenContextRules | undefined;
  /** `nextCursor` of an earlier answer to the same call. Continues the report. */
  readonly cursor?: string | undefined;
  readonly agentId?: string | undefined;
  /** Reads a saved context without counting as a use, and shields nothing from pruning. Default `false`. */
  readonly isPeek?: boolean | undefined;
}

export interface CompressContextParams extends ShapeContextParams {
  /** Default `auto`. */
  readonly strategy?: CompressionStrategy | undefined;
  /** Only entries of these layers. Default: all. */
  readonly layers?: readonly Layer[] | undefined;
}

export interface PrioritizeContextParams extends ShapeContextParams {
  /** Most tokens of each layer; CRITICAL is not bound. Default: shares of the budget, where unused room passes to the next layer. */
  readonly budgets?: { readonly [L in Layer]?: number | undefined } | undefined;
  /** Only reports how each entry would be treated; saves nothing. */
  readonly dryRun?: boolean | undefined;
}

export interface ShapedContextResult extends Standing {
  /** Empty after a dry run. */
  context: Record<string, unknown>;
  /** Tokens of the whole context as JSON. */
  tokensBefore: number;
  /** Tokens of the resulting context. */
  tokensAfter: number;
  report: ViewReport;
  omitted?: Omissions;
  budgetExceededBy?: number;
  /** The CRITICAL entry that took most of the budget, when these entries exceed it. */
  largestCritical?: LargestCritical;
  /** The condenser's part in the result. Absent when no condenser was asked. */
  advanced?: AdvancedReport;
  /** Checkpoint with the exact original. Absent with `notKept`, and after a dry run of an unsaved context. */
  checkpointId?: string;
  sessionId?: string;
  /** ISO 8601. `checkpointId` leads to the original until then. Absent when the store cannot promise it. */
  validUntil?: string;
  /** Why the original of a given context could not be kept. It cannot be retrieved from the store. */
  notKept?: string;
  /** Likely secrets in the original of a given context. If they were redacted, the kept original is redacted too. */
  secrets?: SecretsFields;
  /** The way to the originals. */
  how?: string;
  /** Why the project's rules file cannot be used. */
  contextRulesWarning?: string;
  /** Time and author of the save. Absent when the caller gave the context. */
  origin?: { savedAt: string; agentId?: string };
}
