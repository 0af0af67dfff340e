import type {
  BackupOptions,
  CleanUpReport,
  Durability,
  ExportOptions,
  GarbageReport,
  RebuildOptions,
  RebuildReport,
  RepairOptions,
  RepairReport,
  StatsInput,
  StoreStats,
  ScanReport,
  StoreStatus,
  VerifyOptions,
  VerifyReport,
} from "@workrail/core";
import type { AuditLogFilter, AuditLogParams, AuditLogResult, VerifyAuditLogParams, VerifyAuditLogResult } from "./audit-log.ts";
import type { CleanUpParams, EmptyTrashParams, FromTrashParams, FromTrashResult, TrashedMetadata } from "./clean-up-params.ts";
import type { StoreConversationParams, StoreConversationResult } from "./conversations.ts";
import type {
  FindCheckpointsParams,
  FindCheckpointsResult,
  IContextManagementService,
  SessionMetadata,
  BriefViewResult,
  ViewCheckpointParams,
  ViewCheckpointResult,
} from "./context-management-service.ts";
import type { IncomingSave } from "./hooks/incoming-save.ts";
import type { LiveContext, LiveContextParams } from "./live/live-context.ts";
import type { EraseParams, EraseResult } from "./erasing.ts";
import type { FittedFields } from "./fit-fields.ts";
import type { FinishIndexOptions, SearchCheckpointsParams, SearchCheckpointsResult } from "./search/search-checkpoints.ts";
import type { ProjectCheckpoints } from "./project-checkpoints/project-checkpoints.ts";
import type {
  CompareCheckpointsParams,
  CompareCheckpointsResult,
  ListSessionsParams,
  ListSessionsResult,
  TagSessionParams,
  TraceSessionParams,
  TraceSessionResult,
} from "./overview.ts";
import type { ScanStoreParams } from "./secrets/told-secrets.ts";
import type { HandoffParams, HandoffResult, ResumeParams, ResumeResult } from "./resume/resume-params.ts";
import type { BackupResult } from "./restore-backup.ts";
import type {
  ExportAllResult,
  ExportResult,
  ExportSessionOptions,
  ImportFileOptions,
  ImportFileResult,
  ImportedText,
  ImportTextOptions,
  ImportTextResult,
  ExportAllOptions,
} from "./transfer.ts";
import type { WrittenFile } from "./write-new-file.ts";

export interface StoreStatsParams extends Omit<StatsInput, "sessionId" | "project"> {
  readonly sessionId?: string | undefined;
  /** `null`: of the whole store. Default: the project of the working directory, unless `sessionId` is given. */
  readonly project?: string | null | undefined;
}

export interface ResolveCheckpointParams {
  /** Only what this session holds. */
  readonly sessionId?: string | undefined;
  /** Without a session: the project whose latest is meant; `null`: the latest of all. Default: as `findCheckpoints` lists. */
  readonly project?: string | null | undefined;
  /** Only what is in the trash. Default: what is live, and the trash where nothing live is meant. */
  readonly inTrash?: boolean | undefined;
}

/** A checkpoint that was meant. */
export interface ResolvedCheckpoint {
  readonly checkpointId: string;
  readonly sessionId: string;
}

/** What work on the whole store was done without. */
export interface LeftOut {
  /** How many checkpoints only memory keeps, because the disk cannot be written to. Absent: none. */
  readonly inMemoryOnly?: number;
}

/** An open store. `openWorkrail` makes it; close it when you are done. */
export interface Workrail extends IContextManagementService {
  /** Where the store is; `undefined` for storage without a place on this machine. */
  readonly dataDir: string | undefined;
  readonly durability: Durability;
  /**
   * Keeps a conversation twice: whole as a checkpoint of kind `conversation`, where search finds it, and as a Markdown file for
   * people in `.codearchitect/sessions` of the project. Where the store cannot take it the file is written all the same.
   *
   * @throws INVALID_INPUT and TOO_LARGE for what is no conversation, or more than 10 MB; STORAGE_UNAVAILABLE when the file cannot be
   *   written, with `details.step` (`folder`, `file`) and, if the store has the conversation, `details.checkpointId`; CONFLICT when
   *   no name is free.
   */
  storeConversation(params: StoreConversationParams): Promise<StoreConversationResult>;
  /** Checkpoints of projects: contextd's service. */
  readonly projectCheckpoints: ProjectCheckpoints;
  /**
   * Finds the checkpoint that a person or an agent means: by its id, by at least 4 of the id's first characters if no other id begins so,
   * or as `latest` and `latest~2`, which count back from the newest that `findCheckpoints` lists. Damaged ones are not counted.
   *
   * @throws INVALID_INPUT when several ids begin so, with `details.matches`; CHECKPOINT_NOT_FOUND, with those that are `details.nearest`.
   */
  resolveCheckpoint(reference: string, params?: ResolveCheckpointParams): Promise<ResolvedCheckpoint>;
  /** Lists checkpoints of one or of all sessions, by any filter, and how many there are. */
  findCheckpoints(params?: FindCheckpointsParams): Promise<FindCheckpointsResult>;
  /**
   * Finds checkpoints by the words of their names, tags, attributes and contexts, the best first. What was saved before is found.
   *
   * @throws INVALID_INPUT
   */
  searchCheckpoints(params: SearchCheckpointsParams): Promise<SearchCheckpointsResult>;
  /**
   * Indexes for search all that is not indexed yet, however long that takes. A search itself waits for a second at most, and leaves the
   * rest to the background, which a program that soon ends has not.
   */
  finishIndex(options?: FinishIndexOptions): Promise<void>;
  /**
   * Takes in the incoming saves that hooks wrote after the store was opened. Opening does the same. A save that cannot be taken in now stays
   * in place, and the log tells the reason.
   *
   * @param saves incoming saves that a hook made for a sealed store and did not write to disk; with them it rejects as `saveCheckpoint` does.
   * @returns the number of sessions with new saves.
   */
  takeIncoming(saves?: readonly IncomingSave[]): Promise<number>;
  /** Loads what fits a budget, and says what it left out. */
  viewCheckpoint(params: ViewCheckpointParams): Promise<ViewCheckpointResult>;
  /** The same, with little around the context: for answers that models read. */
  viewBriefly(params: ViewCheckpointParams): Promise<BriefViewResult>;
  /**
   * Finds the way back into saved work. An id that exists is loaded, with what happened in the repository since; for anything else
   * the sessions that may be meant are told, the likeliest first and each with the reason, and nothing is loaded.
   *
   * @throws INVALID_INPUT; whatever loading what exists throws.
   */
  resumeWork(params?: ResumeParams): Promise<ResumeResult>;
  /**
   * Writes one document in markdown with which somebody else, an agent or a person, can take the work over. The same for the same.
   *
   * @throws INVALID_INPUT for a budget under 300 tokens; whatever loading throws.
   */
  handoff(params: HandoffParams): Promise<HandoffResult>;
  /**
   * The context of a workflow that this program runs: kept in memory, saved at the end of each phase and on demand, condensed
   * when it grows too large. Nothing is loaded or saved before it is asked to. Close it before the store.
   *
   * @throws INVALID_INPUT for parameters that cannot be used.
   */
  liveContext(params: LiveContextParams): LiveContext;
  /**
   * What describes a checkpoint, as an answer has room for it: the largest fields may be left out, and are named.
   * `viewCheckpoint` does it by itself.
   */
  fitDescription<T extends object>(description: T): Promise<FittedFields<T>>;
  /**
   * The first of `items` that fit, beside `frame`, into one answer of the size every answer of the product keeps to.
   * None where not even the first does: whoever asks knows what of it can be shortened.
   */
  fitAnswer<T extends object>(frame: object, items: readonly T[]): Promise<T[]>;
  /** Tokens of an answer as JSON, counted as budgets are. */
  tokensOf(answer: object): Promise<number>;
  /** Makes the catalog anew from the checkpoints' files. */
  rebuildCatalog(options?: RebuildOptions): Promise<RebuildReport>;
  /** Removes files that no checkpoint needs. */
  collectGarbage(): Promise<GarbageReport>;
  /**
   * Writes a session to a new JSON file that people can read and `importFile` takes back exactly. A file that is there is
   * never replaced. Checkpoints that cannot be read are named in it, and told. Default: `exports/{workflow or session id}-{date}.json` in the data directory, with a counter if needed.
   *
   * @throws SESSION_NOT_FOUND; INVALID_INPUT when there is such a file, or no such folder; PLAINTEXT_REFUSED in a sealed store, unless files
   *   in clear are allowed; LOCK_TIMEOUT and STORAGE_UNAVAILABLE. Whatever is thrown, there is no file.
   */
  exportSession(sessionId: string, options?: ExportSessionOptions): Promise<ExportResult>;
  /** The same text, piece by piece, with one context in memory at a time. Read it before you close the store. */
  exportText(sessionId: string, options?: ExportOptions): AsyncIterable<string>;
  /** Writes every session to a file of its own in a folder, which is made if needed. Default: `exports` in the data directory. */
  exportAll(folder?: string, options?: ExportAllOptions): Promise<ExportAllResult & LeftOut>;
  /**
   * Brings an exported session into this store. Nothing is written unless every checkpoint in the file is proven.
   *
   * @throws UNSUPPORTED_VERSION for a newer format; INVALID_INPUT naming the place, TOO_LARGE, STORAGE_QUOTA_EXCEEDED and SECRET_FOUND for
   *   what cannot be imported, and then nothing was; CONFLICT when an id names something else in the store, or somebody saved to the
   *   session meanwhile; READ_ONLY; LOCK_TIMEOUT and STORAGE_UNAVAILABLE.
   */
  importFile(file: string, options?: ImportFileOptions): Promise<ImportFileResult>;
  /** The same of a text that comes piece by piece, as `exportText` gives it. All of it is in memory meanwhile. */
  importText(text: ImportedText, options?: ImportTextOptions): Promise<ImportTextResult>;
  /** Removes what is selected, or else what was unused for long and what a full store has to give up. */
  cleanUp(params?: CleanUpParams): Promise<CleanUpReport>;
  /**
   * Erases one checkpoint, live or in the trash, and whatever it is tagged with: see `erase`.
   *
   * @throws CHECKPOINT_NOT_FOUND, the second time as well.
   */
  deleteCheckpoint(params: { readonly checkpointId: string; readonly agentId?: string | undefined }): Promise<EraseResult>;
  /**
   * Erases checkpoints, or a whole session: nothing of what they held or were named is left in the data directory, and all others stay
   * exactly as they are. What cannot be done at once is told, and done when the store is opened the next time. Copies elsewhere
   * keep what they have; those that the store knows of are told.
   *
   * @throws CHECKPOINT_NOT_FOUND and SESSION_NOT_FOUND, having erased nothing; INVALID_INPUT.
   */
  erase(params: EraseParams): Promise<EraseResult>;
  /** What is in the trash, the longest there first. */
  listTrash(params?: { readonly sessionId?: string | undefined }): Promise<TrashedMetadata[]>;
  /**
   * Brings checkpoints back from the trash, exactly, in their old places. By default all of the session's.
   *
   * @throws CHECKPOINT_NOT_FOUND, having restored nothing, when one of them is not in the trash, or nothing of the session is;
   *   INVALID_INPUT for what is no id; READ_ONLY; LOCK_TIMEOUT and STORAGE_UNAVAILABLE.
   */
  restoreFromTrash(params: FromTrashParams): Promise<FromTrashResult>;
  /** Removes for good what is in the trash, overwritten as `erase` does it. */
  emptyTrash(params?: EmptyTrashParams): Promise<CleanUpReport>;
  /**
   * Has a session spared by whatever removes of its own accord; with `false`, no longer.
   *
   * @throws SESSION_NOT_FOUND; INVALID_INPUT for what is no id, and for a tag too many; READ_ONLY; LOCK_TIMEOUT and STORAGE_UNAVAILABLE.
   */
  keepSession(sessionId: string, keep?: boolean): Promise<SessionMetadata>;
  /**
   * Puts tags on a session, or takes them off it. They count for each of its checkpoints where these are listed.
   *
   * @throws SESSION_NOT_FOUND; INVALID_INPUT for what is no id, and for tags that cannot be; READ_ONLY; LOCK_TIMEOUT and
   *   STORAGE_UNAVAILABLE.
   */
  tagSession(params: TagSessionParams): Promise<SessionMetadata>;
  /** Lists sessions that hold checkpoints, the most recently used first. */
  listSessions(params?: ListSessionsParams): Promise<ListSessionsResult>;
  /** How the checkpoints of a session continue each other: parents, forks, and what is latest. */
  traceSession(params: TraceSessionParams): Promise<TraceSessionResult>;
  /** What changed from one checkpoint to another, entry by entry, with the tokens and the layer of each. */
  compareCheckpoints(params: CompareCheckpointsParams): Promise<CompareCheckpointsResult>;
  /** What sessions and projects take: checkpoints, bytes as they are and as stored, and tokens of the latest contexts. */
  storeStats(params?: StoreStatsParams): Promise<StoreStats & LeftOut>;
  /** Reads the whole store and tells what is wrong with it; changes nothing. */
  verifyStore(options?: VerifyOptions): Promise<VerifyReport>;
  /** Puts right what can be without losing anything: damaged checkpoints are put aside and marked. */
  repairStore(options?: RepairOptions): Promise<RepairReport>;
  /** Looks for secrets in all that is stored, and says where they are. Changes nothing. */
  scanStore(params?: ScanStoreParams): Promise<ScanReport>;
  /** Who did what and when with this store, the newest first. No row holds a value out of a context. */
  auditLog(params?: AuditLogParams): Promise<AuditLogResult>;
  /** The same as lines of JSON, a row each, oldest first, piece by piece. Read it before you close the store. */
  auditText(filter?: AuditLogFilter): AsyncIterable<string>;
  /**
   * Writes these lines to a new file. A file that is there is never replaced.
   *
   * @throws PLAINTEXT_REFUSED in a sealed store, unless files in clear are allowed; INVALID_INPUT when there is such a file.
   */
  exportAuditLog(file: string, filter?: AuditLogFilter): Promise<WrittenFile>;
  /** Whether each row of the audit log is as it was written and none is missing. Changes nothing. */
  verifyAuditLog(params?: VerifyAuditLogParams): Promise<VerifyAuditLogResult>;
  /** How the store stands: what it holds, against which limits, and what a person should know. */
  storeStatus(): Promise<StoreStatus>;
  /**
   * Copies the store to a new directory while anybody may use it, and proves the copy. `restoreBackup` takes it back; a copy
   * of it can also be used as a data directory.
   */
  backup(directory: string, options?: BackupOptions): Promise<BackupResult & LeftOut>;
  /** Finishes what is under way and releases the store. May be called twice. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
