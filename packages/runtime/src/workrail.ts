import type {
  CleanUpReport,
  Durability,
  GarbageReport,
  RebuildOptions,
  RebuildReport,
  RepairOptions,
  RepairReport,
  ScanReport,
  VerifyOptions,
  VerifyReport,
} from "@workrail/core";
import type { BackupOptions, ExportOptions } from "@workrail/transfer";
import type { StoreChanges, WatchChangesParams } from "./changes/store-changes.ts";
import type { AuditLogFilter, AuditLogParams, AuditLogResult, VerifyAuditLogParams, VerifyAuditLogResult } from "./audit-log.ts";
import type { CleanUpParams, EmptyTrashParams, FromTrashParams, FromTrashResult, TrashedMetadata } from "./clean-up-params.ts";
import type { StoreConversationParams, StoreConversationResult } from "./conversations.ts";
import type {
  AppendRecordsParams,
  CheckpointMetadata,
  EachCheckpointParams,
  FindCheckpointsParams,
  FindCheckpointsResult,
  IContextManagementService,
  LoadCheckpointsParams,
  LoadCheckpointsResult,
  LoadTextsParams,
  LoadTextsResult,
  SessionMetadata,
  BriefViewParams,
  BriefViewResult,
  ViewCheckpointParams,
  ViewCheckpointResult,
} from "./context-management-service.ts";
import type { IncomingSave } from "./hooks/incoming-save.ts";
import type { Caller } from "./isolation.ts";
import type { LiveContext, LiveContextParams } from "./live/live-context.ts";
import type { EraseParams, EraseResult } from "./erasing.ts";
import type { FittedFields } from "./fit-fields.ts";
import type { FinishIndexOptions, SearchCheckpointsParams, SearchCheckpointsResult } from "./search/search-checkpoints.ts";
import type {
  FindPushedParams,
  FindPushedResult,
  TakePushedParams,
  TakePushedResult,
  TakeSavesParams,
  TakeSavesResult,
} from "./pushed-params.ts";
import type { ProjectCheckpoints } from "./project-checkpoints/project-checkpoints.ts";
import type {
  CompareCheckpointsParams,
  CompareCheckpointsResult,
  ListSessionsParams,
  ListSessionsResult,
  CopySessionParams,
  CopySessionResult,
  TagSessionParams,
  TraceSessionParams,
  TraceSessionResult,
} from "./overview.ts";
import type { StatsInput, StoreStats } from "./reports/store-stats.ts";
import type { StoreStatus } from "./reports/store-status.ts";
import type { ScanStoreParams } from "./secrets/secrets-fields.ts";
import type {
  HandoffParams,
  HandoffResult,
  ResumeParams,
  ResumeResult,
  SavedRepositoryParams,
  SavedRepositoryResult,
} from "./resume/resume-params.ts";
import type { BackupResult } from "./restore-options.ts";
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
import type { UpkeepParams, UpkeepReport } from "./upkeep-params.ts";
import type { WrittenFile } from "./write-new-file.ts";

export interface StoreStatsParams extends Omit<StatsInput, "sessionId" | "project"> {
  readonly sessionId?: string | undefined;
  /** `null`: the whole store. Default: the project of the working directory, unless `sessionId` is given. */
  readonly project?: string | null | undefined;
}

export interface ResolveCheckpointParams {
  /** Only checkpoints of this session. */
  readonly sessionId?: string | undefined;
  /** Without a session: the project of `latest`; `null`: all projects. Default: as in `findCheckpoints`. */
  readonly project?: string | null | undefined;
  /** Only checkpoints in the trash. Default: live ones, or the trash when no live one matches. */
  readonly inTrash?: boolean | undefined;
}

/** The checkpoint that a reference resolves to. */
export interface ResolvedCheckpoint {
  readonly checkpointId: string;
  readonly sessionId: string;
}

/** Data missing from an operation on the whole store. */
export interface LeftOut {
  /** Number of checkpoints that are only in memory, because the disk cannot be written to. Absent: none. */
  readonly inMemoryOnly?: number;
}

/** Saves, finds and loads checkpoints. */
export interface Checkpoints extends Omit<IContextManagementService, "compressContext" | "prioritizeContext"> {
  /** Lists checkpoints of one or all sessions by any filter, with their total number. */
  findCheckpoints(params?: FindCheckpointsParams): Promise<FindCheckpointsResult>;
  /**
   * Yields every checkpoint that matches, newest first, without a limit. Concurrent saves and removals neither skip nor repeat other
   * checkpoints. Read it before you close the store.
   */
  eachCheckpoint(filter?: EachCheckpointParams): AsyncIterable<CheckpointMetadata>;
  /**
   * Loads several checkpoints, whole.
   *
   * @throws INVALID_INPUT for an invalid id, or more than 1,000; STORAGE_UNAVAILABLE.
   */
  loadCheckpoints<State extends object = Record<string, unknown>>(params: LoadCheckpointsParams): Promise<LoadCheckpointsResult<State>>;
  /**
   * Loads the JSON texts of several checkpoints, for a program that parses them itself. Reads shared deltas once, compares nothing with
   * parents, and does not count as a use.
   *
   * @throws INVALID_INPUT for an invalid id, or more than 1,000; STORAGE_UNAVAILABLE.
   */
  loadTexts(params: LoadTextsParams): Promise<LoadTextsResult>;
  /**
   * Appends small records to a checkpoint, durably before it resolves. They are loaded by `loadTexts`, and moved, removed and erased with
   * the checkpoint. They are not part of its context or of the session's history, not listed, and not searched.
   *
   * @throws CHECKPOINT_NOT_FOUND; INVALID_INPUT; STORAGE_QUOTA_EXCEEDED, SECRET_FOUND, READ_ONLY, LOCK_TIMEOUT and STORAGE_UNAVAILABLE as
   * a save. They are not kept in memory while the disk cannot be written to.
   */
  appendRecords(params: AppendRecordsParams): Promise<void>;
  /**
   * Finds a checkpoint by a reference: its id, at least 4 first characters of the id if they are unique, or `latest` and `latest~2`, which
   * count back from the newest that `findCheckpoints` lists. Damaged ones are not counted.
   *
   * @throws INVALID_INPUT when several ids match, with `details.matches`; CHECKPOINT_NOT_FOUND, with similar ids in `details.nearest`.
   */
  resolveCheckpoint(reference: string, params?: ResolveCheckpointParams): Promise<ResolvedCheckpoint>;
  /**
   * Finds checkpoints by the words of their names, tags, attributes and contexts, best first. Covers every save before the call.
   *
   * @throws INVALID_INPUT
   */
  searchCheckpoints(params: SearchCheckpointsParams): Promise<SearchCheckpointsResult>;
  /** Compares two checkpoints entry by entry, with tokens and layer of each. */
  compareCheckpoints(params: CompareCheckpointsParams): Promise<CompareCheckpointsResult>;
}

/** Fits saved work into budgets. */
export interface Views extends Pick<IContextManagementService, "compressContext" | "prioritizeContext"> {
  /** Loads as much as fits a budget, and reports the entries left out. */
  viewCheckpoint(params: ViewCheckpointParams): Promise<ViewCheckpointResult>;
  /** Loads a view with few fields besides the context, for answers that models read. */
  viewBriefly(params: BriefViewParams): Promise<BriefViewResult>;
  /**
   * Resumes saved work. Loads the checkpoint of an existing id, with the changes in the repository since. For anything else lists candidate
   * sessions, the likeliest first, each with its reason, and loads nothing.
   *
   * @throws INVALID_INPUT; errors of loading an existing checkpoint.
   */
  resumeWork(params?: ResumeParams): Promise<ResumeResult>;
  /**
   * Returns the state of the repository at the save of the checkpoint that `resumeWork` loads for the same ids, and the files that it
   * names. A program on another machine computes the changes since. `undefined` for a checkpoint saved outside of a repository.
   *
   * @throws errors of loading.
   */
  savedRepository(params: SavedRepositoryParams): Promise<SavedRepositoryResult | undefined>;
  /**
   * Writes one Markdown document with which another agent or a person can take over the work. Deterministic.
   *
   * @throws INVALID_INPUT for a budget under 300 tokens; errors of loading.
   */
  handoff(params: HandoffParams): Promise<HandoffResult>;
  /**
   * Creates the context of a workflow that this program runs: kept in memory, saved at the end of each phase and on demand, condensed when
   * it grows too large. Loads and saves nothing by itself at the start. Close it before the store.
   *
   * @throws INVALID_INPUT for invalid parameters.
   */
  liveContext(params: LiveContextParams): LiveContext;
  /** Fits a checkpoint's description into an answer: leaves out the largest fields and names them. `viewCheckpoint` does this by itself. */
  fitDescription(description: Partial<CheckpointMetadata>): Promise<FittedFields<Partial<CheckpointMetadata>>>;
  /**
   * Returns the first of `items` that fit into one answer beside `frame`, within the limits of every answer. Returns none when the first
   * does not fit; the caller knows how to shorten it.
   */
  fitAnswer<T extends object>(frame: object, items: readonly T[]): Promise<T[]>;
  /** Returns the tokens of an answer as JSON, counted as in budgets. */
  tokensOf(answer: object): Promise<number>;
}

/** Lists and marks sessions. */
export interface Sessions {
  /** Lists sessions that hold checkpoints, the most recently used first. */
  listSessions(params?: ListSessionsParams): Promise<ListSessionsResult>;
  /** Returns the tags in use and the number of sessions of each, the largest number first. `project` as for `listSessions`. */
  listTags(params?: Pick<ListSessionsParams, "project">): Promise<ReadonlyMap<string, number>>;
  /**
   * Yields changes by any process within about half a second: sessions whose checkpoints or tags were added or removed. Loads do not count.
   * The first item is empty: changes after it are reported. Changes are merged into one item until the next is requested. Waits while the
   * disk cannot be read, and ends with the signal or the store.
   *
   * @throws INVALID_INPUT as `listSessions` does; STORAGE_UNAVAILABLE when the disk cannot be read at the beginning.
   */
  watchChanges(params?: WatchChangesParams): AsyncIterable<StoreChanges>;
  /** Returns the graph of a session's checkpoints: parents, forks, and the latest. */
  traceSession(params: TraceSessionParams): Promise<TraceSessionResult>;
  /**
   * Adds tags to a session, or removes them. Listings match them for each checkpoint of the session.
   *
   * @throws SESSION_NOT_FOUND; INVALID_INPUT for an invalid id or tag; READ_ONLY; LOCK_TIMEOUT and STORAGE_UNAVAILABLE.
   */
  tagSession(params: TagSessionParams): Promise<SessionMetadata>;
  /**
   * Protects a session from automatic removal; `false` ends the protection.
   *
   * @throws SESSION_NOT_FOUND; INVALID_INPUT for an invalid id, or one tag too many; READ_ONLY; LOCK_TIMEOUT and STORAGE_UNAVAILABLE.
   */
  keepSession(sessionId: string, keep?: boolean): Promise<SessionMetadata>;
  /**
   * Copies the checkpoints of a session to another session: their content byte for byte, labels, times, parents and side records, then the
   * tags and pins of the session. Each copy is durable on its own; after an interruption, the same call continues. Asides, handles and the
   * trash are left out. Nothing is pruned meanwhile.
   *
   * @throws SESSION_NOT_FOUND; INVALID_INPUT for an invalid id, or the same one; CHECKPOINT_CORRUPT for a checkpoint that cannot be read;
   * CONFLICT for an id that is taken; STORAGE_QUOTA_EXCEEDED; READ_ONLY; LOCK_TIMEOUT and STORAGE_UNAVAILABLE.
   */
  copySession(params: CopySessionParams): Promise<CopySessionResult>;
  /** Returns the size of sessions and projects: checkpoints, bytes raw and as stored, and tokens of the latest contexts. */
  storeStats(params?: StoreStatsParams): Promise<StoreStats & LeftOut>;
}

/** Keeps a store small, whole and up to date. */
export interface Care {
  /** Returns the state of the store: its content, its limits, and warnings for people. */
  storeStatus(): Promise<StoreStatus>;
  /** Reads the whole store and reports damage; changes nothing. */
  verifyStore(options?: VerifyOptions): Promise<VerifyReport>;
  /** Repairs without data loss: damaged checkpoints are quarantined and marked. */
  repairStore(options?: RepairOptions): Promise<RepairReport>;
  /** Rebuilds the catalog from the checkpoints' files. */
  rebuildCatalog(options?: RebuildOptions): Promise<RebuildReport>;
  /** Removes files that no checkpoint needs. */
  collectGarbage(): Promise<GarbageReport>;
  /**
   * Does all background work that is due: finishes removals and erasures, cleans up as the settings say, compacts every session, and
   * brings the search index up to date. A process that keeps the store open does the same automatically. Any number of processes may do it at once.
   */
  upkeep(params?: UpkeepParams): Promise<UpkeepReport>;
  /** Scans all stored data for secrets and reports their places. Changes nothing. */
  scanStore(params?: ScanStoreParams): Promise<ScanReport>;
  /** Removes the selected checkpoints; without a selection, those that the store's policy removes. */
  cleanUp(params?: CleanUpParams): Promise<CleanUpReport>;
  /**
   * Erases one checkpoint, live or in the trash, whatever its tags: see `erase`.
   *
   * @throws CHECKPOINT_NOT_FOUND, also when repeated.
   */
  deleteCheckpoint(params: { readonly checkpointId: string; readonly agentId?: string | undefined }): Promise<EraseResult>;
  /**
   * Erases checkpoints or a whole session. None of their content or names is left in the data directory; all other checkpoints stay
   * unchanged. Parts that cannot be erased at once are reported, and erased at the next opening of the store. Copies elsewhere are not
   * changed; the known ones are reported.
   *
   * @throws CHECKPOINT_NOT_FOUND and SESSION_NOT_FOUND, with nothing erased; INVALID_INPUT.
   */
  erase(params: EraseParams): Promise<EraseResult>;
  /** Lists the trash, the earliest removed first. */
  listTrash(params?: { readonly sessionId?: string | undefined }): Promise<TrashedMetadata[]>;
  /**
   * Restores checkpoints from the trash, exactly, to their old places. Default: all of the session.
   *
   * @throws CHECKPOINT_NOT_FOUND, with nothing restored, when one of them is not in the trash, or nothing of the session is; INVALID_INPUT
   * for an invalid id; READ_ONLY; LOCK_TIMEOUT and STORAGE_UNAVAILABLE.
   */
  restoreFromTrash(params: FromTrashParams): Promise<FromTrashResult>;
  /** Removes the trash for good, overwriting it as `erase` does. */
  emptyTrash(params?: EmptyTrashParams): Promise<CleanUpReport>;
  /**
   * Takes in the incoming saves that hooks wrote after the store was opened; over a node, sends them there. Opening does the same. A save
   * that cannot be taken in now stays in place, and the log tells the reason.
   *
   * @param saves incoming saves that a hook made for a sealed store and did not write to disk; with them it rejects as `saveCheckpoint`
   * does.
   * @returns the number of sessions with new saves.
   */
  takeIncoming(saves?: readonly IncomingSave[]): Promise<number>;
  /**
   * Indexes everything pending, however long that takes. A search waits for at most a second and leaves the rest to the background, which a
   * short-lived program does not have.
   */
  finishIndex(options?: FinishIndexOptions): Promise<void>;
}

/** Reads and verifies the audit log. */
export interface Audit {
  /** Lists the actions on this store with author and time, newest first. No row holds a value of a context. */
  auditLog(params?: AuditLogParams): Promise<AuditLogResult>;
  /** Yields the audit log as JSON lines, one for each row, oldest first. Read it before you close the store. */
  auditText(filter?: AuditLogFilter): AsyncIterable<string>;
  /**
   * Writes the lines of `auditText` to a new file. Never replaces a file.
   *
   * @throws PLAINTEXT_REFUSED in a sealed store, unless unencrypted files are allowed; INVALID_INPUT when the file exists.
   */
  exportAuditLog(file: string, filter?: AuditLogFilter): Promise<WrittenFile>;
  /** Checks that each row of the audit log is unchanged and none is missing. Changes nothing. */
  verifyAuditLog(params?: VerifyAuditLogParams): Promise<VerifyAuditLogResult>;
}

/** Copies data out of a store and into it. */
export interface Transfers {
  /**
   * Writes a session to a new JSON file that people can read and that `importFile` restores exactly. Never replaces a file. Checkpoints
   * that cannot be read are named in the file and in the result. Default: `exports/{workflow or session id}-{date}.json` in the data
   * directory, with a counter if needed.
   *
   * @throws SESSION_NOT_FOUND; INVALID_INPUT when the file exists, or its folder does not; PLAINTEXT_REFUSED in a sealed store, unless
   * unencrypted files are allowed; LOCK_TIMEOUT and STORAGE_UNAVAILABLE. After an error there is no file.
   */
  exportSession(sessionId: string, options?: ExportSessionOptions): Promise<ExportResult>;
  /** Yields the text of `exportSession` in pieces, with one context in memory at a time. Read it before you close the store. */
  exportText(sessionId: string, options?: ExportOptions): AsyncIterable<string>;
  /** Writes every session to its own file in a folder, which is created if needed. Default: `exports` in the data directory. */
  exportAll(folder?: string, options?: ExportAllOptions): Promise<ExportAllResult & LeftOut>;
  /**
   * Imports an exported session. Writes nothing unless every checkpoint in the file is valid.
   *
   * @throws UNSUPPORTED_VERSION for a newer format; INVALID_INPUT naming the place, TOO_LARGE, STORAGE_QUOTA_EXCEEDED and SECRET_FOUND for
   * data that cannot be imported, with nothing written; CONFLICT when an id exists with other content, or the session was saved to
   * meanwhile; READ_ONLY; LOCK_TIMEOUT and STORAGE_UNAVAILABLE.
   */
  importFile(file: string, options?: ImportFileOptions): Promise<ImportFileResult>;
  /** Imports a text in pieces, as `exportText` yields it. The whole text is in memory meanwhile. */
  importText(text: ImportedText, options?: ImportTextOptions): Promise<ImportTextResult>;
  /** Returns the state here of each checkpoint of another store: the first half of `syncStore`. @throws INVALID_INPUT; STORAGE_UNAVAILABLE. */
  findPushed(params: FindPushedParams): Promise<FindPushedResult>;
  /**
   * Saves checkpoints of another store with their ids, times, parents and labels: the second half of `syncStore`. Limits, quotas, the
   * handling of secrets and the audit log are those of a save. After a refused checkpoint, the later ones of its session wait.
   *
   * @throws INVALID_INPUT; READ_ONLY; LOCK_TIMEOUT and STORAGE_UNAVAILABLE, after which the same call continues.
   */
  takePushed(params: TakePushedParams): Promise<TakePushedResult>;
  /**
   * Takes in saves of hooks on another machine, which `takeIncoming` over a node sends. Limits, quotas, the handling of secrets and the
   * audit log are those of a save.
   *
   * @throws INVALID_INPUT; READ_ONLY; LOCK_TIMEOUT, STORAGE_UNAVAILABLE and STORAGE_QUOTA_EXCEEDED, after which the same call continues.
   */
  takeSaves(params: TakeSavesParams): Promise<TakeSavesResult>;
  /**
   * Stores a conversation twice: as a checkpoint of kind `conversation`, for search, and as a Markdown file for people in
   * `.codearchitect/sessions` of the project. The file is written even if the store cannot take the checkpoint.
   *
   * @throws INVALID_INPUT and TOO_LARGE for an invalid conversation, or one of more than 10 MB; STORAGE_UNAVAILABLE when the file cannot be
   * written, with `details.step` (`folder`, `file`) and, if the store has the conversation, `details.checkpointId`; CONFLICT when no name
   * is free.
   */
  storeConversation(params: StoreConversationParams): Promise<StoreConversationResult>;
  /**
   * Copies the store to a new directory, while others may use it, and verifies the copy. `restoreBackup` restores it; a copy of the backup
   * can also serve as data directory.
   */
  backup(directory: string, options?: BackupOptions): Promise<BackupResult & LeftOut>;
}

/** The operations of a store, by facet. */
export interface Operations extends Checkpoints, Views, Sessions, Care, Audit, Transfers {}

/** An open store, made by `openWorkrail`. Close it when you are done. */
export interface Workrail extends Operations {
  /** Directory of the store; `undefined` for storage without a directory on this machine. */
  readonly dataDir: string | undefined;
  readonly durability: Durability;
  /** Checkpoints of projects: contextd's service. */
  readonly projectCheckpoints: ProjectCheckpoints;
  /**
   * Returns this store as a caller sees it. For a caller with a right to some projects, no answer, count or message shows others: sessions
   * and checkpoints get their ids from the store, and operations on the whole store fail. Rows of the audit log name the caller's subject.
   * Closing it does nothing.
   *
   * @throws INVALID_INPUT unless the projects are absolute paths that this store may access, and the subject is a name.
   */
  asCaller(caller: Caller): Workrail;
  /** Finishes running work and releases the store. May be called twice. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
