export type { EntryChange, EntryState, LayerShift, ViewReport } from "@workrail/views";
export { makePrivateDirectory, userCacheDirectory } from "@workrail/blob-files";
export type {
  AuditLogEntry,
  AuditLogFilter,
  AuditLogParams,
  AuditLogResult,
  VerifyAuditLogParams,
  VerifyAuditLogResult,
} from "./audit-log.ts";
export type { SessionChange, StoreChanges, WatchChangesParams } from "./changes/store-changes.ts";
export type { CleanUpParams, EmptyTrashParams, FromTrashParams, FromTrashResult, TrashedMetadata } from "./clean-up-params.ts";
export type { Adapters } from "./container.ts";
export type {
  CheckpointLabels,
  CheckpointMetadata,
  CompressContextParams,
  EachCheckpointParams,
  FindCheckpointsParams,
  FindCheckpointsResult,
  GivenContextRules,
  IContextManagementService,
  LoadCheckpointParams,
  LoadCheckpointResult,
  LoadCheckpointsParams,
  LoadCheckpointsResult,
  LoadedTextResult,
  LoadTextsParams,
  LoadTextsResult,
  SideRecord,
  MarkCriticalParams,
  MarkCriticalResult,
  PatchedState,
  PrioritizeContextParams,
  SaveCheckpointParams,
  SaveCheckpointResult,
  SessionMetadata,
  SessionReason,
  ShapeContextParams,
  ShapedContextResult,
  Standing,
  StatePatch,
  AppendRecordsParams,
  BriefViewParams,
  BriefViewResult,
  ViewCheckpointParams,
  ViewCheckpointResult,
} from "./context-management-service.ts";
export { configJsonSchema } from "./config/config-json-schema.ts";
export type { ConfigurationIssue } from "./config/configuration-issue.ts";
export type { NewKey, SealOptions, SealResult } from "./sealing/seal-store.ts";
export type { SealingSettings } from "./sealing/sealing-settings.ts";
export { defaultDataDir } from "./config/default-data-dir.ts";
export type { Environment } from "./config/default-data-dir.ts";
export { readConfiguration } from "./config/read-configuration.ts";
export type { Configuration, ConfigurationSources, ConfiguredSetting } from "./config/read-configuration.ts";
export type { LoggedSetting } from "./config/change-setting.ts";
export { parseSettingName, setSetting } from "./config/set-setting.ts";
export type { ChangedSetting } from "./config/set-setting.ts";
export { DEFAULT_TENANT } from "./config/setting-table.ts";
export type { Fallback, ProgramSettings, SettingName, SettingPlace, SettingValues } from "./config/setting-table.ts";
export type { Caller } from "./isolation.ts";
export type { StoreConversationParams, StoreConversationResult } from "./conversations.ts";
export type { ExamineOptions } from "./doctor/examine-installation.ts";
export type { DoctorCheck, DoctorFinding, DoctorReport } from "./doctor/finding.ts";
export type { Repeat } from "./environment.ts";
export type { EraseParams, EraseResult } from "./erasing.ts";
export type { ImportTranscriptsOptions, LeftOutOfImport, TranscriptOutcome } from "./host-import/import-transcripts.ts";
export type { ImportedSession } from "./host-import/import-transcript.ts";
export type { FittedFields, OmittedFields } from "./fit-fields.ts";
export { isWorkrailError, WorkrailError } from "@workrail/core";
export type { CleanUpReport, ForeignCheckpoint, ForeignSession, ErrorCode, ErrorDetails, Limits, RebuildOptions } from "@workrail/core";
export type { BackupOptions, UnreadableInExport } from "@workrail/transfer";
export type { Condensed, CondensedEntry, LiveCheckpointOptions, LiveContext, LiveContextParams } from "./live/live-context.ts";
export type { CopyStoreOptions, CopyStoreResult } from "./copy-options.ts";
export type {
  FindPushedParams,
  FindPushedResult,
  PushedCheckpoint,
  PushedId,
  PushedState,
  TakenPushed,
  TakePushedParams,
  TakePushedResult,
  TakenSave,
  TakeSavesParams,
  TakeSavesResult,
} from "./pushed-params.ts";
export type { SyncFork, SyncStoreOptions, SyncStoreResult } from "./sync-options.ts";
export type { MigrateStoreOptions, MigrateStoreResult } from "./migrate-options.ts";
export {
  changeSetting,
  copyStore,
  listTenants,
  migrateStore,
  examineInstallation,
  exportForeignSession,
  importTranscripts,
  loadSqliteDriver,
  openWorkrail,
  readSavings,
  rekeyStore,
  rekeyStoreDeeply,
  restoreBackup,
  sealStore,
  syncStore,
  unsealStore,
  writeNewFile,
} from "./on-call.ts";
export type { OpenOptions } from "./open-options.ts";
export type {
  CreatedProjectCheckpoint,
  CreateProjectCheckpoint,
  FoundProjectCheckpoint,
  FoundProjectCheckpoints,
  ListedProjectCheckpoints,
  ListProjectCheckpoints,
  ProjectCheckpoint,
  ProjectHealth,
  SearchProjectCheckpoints,
} from "./project-checkpoints/project-checkpoint.ts";
export type { ProjectCheckpoints } from "./project-checkpoints/project-checkpoints.ts";
export type {
  CompareCheckpointsParams,
  CompareCheckpointsResult,
  ComparedMetadata,
  ListedSessionMetadata,
  ListSessionsParams,
  ListSessionsResult,
  CopyName,
  CopySessionParams,
  CopySessionResult,
  TagSessionParams,
  TracedCheckpoint,
  TraceSessionParams,
  TraceSessionResult,
} from "./overview.ts";
export { flatMetadata, nestedMetadata } from "./flat-metadata.ts";
export type { FlatMetadata } from "./flat-metadata.ts";
export { findProject } from "./project.ts";
export type { Drift } from "./resume/find-drift.ts";
export type { StoreStats } from "./reports/store-stats.ts";
export type { StoreStatus } from "./reports/store-status.ts";
export { RESUME_DEPTHS } from "./resume/resume-params.ts";
export type {
  HandoffParams,
  HandoffResult,
  ResumeCandidate,
  ResumeCandidates,
  ResumeDepth,
  ResumedWork,
  ResumeParams,
  ChangeFields,
  ResumeResult,
  SavedRepositoryParams,
  SavedRepositoryResult,
} from "./resume/resume-params.ts";
export type { BackupResult, RestoreOptions, RestoreProgress, RestoreResult } from "./restore-options.ts";
export type { FinishIndexOptions, SearchCheckpointsParams, SearchCheckpointsResult, SearchHit } from "./search/search-checkpoints.ts";
export type { HostSavings, Resumes, Savings, SavingsParams } from "./savings.ts";
export type { ScanStoreParams, SecretsFields } from "./secrets/secrets-fields.ts";
export { readSettings } from "./settings.ts";
export type { CondenserSettings, EmbedderSettings, GivenSettings, HousekeepingSettings, SecretsSettings, Settings } from "./settings.ts";
export { tokenCounter, TOKENIZERS } from "./token-counter.ts";
export type { TokenizerName } from "./token-counter.ts";
export type {
  ExportAllResult,
  ExportResult,
  ExportSessionOptions,
  ImportFileOptions,
  ImportFileResult,
  ImportedText,
  ImportTextOptions,
  ImportTextResult,
  ImportProgress,
  ExportAllOptions,
} from "./transfer.ts";
export type { LeftOut, ResolveCheckpointParams, ResolvedCheckpoint, StoreStatsParams, Workrail } from "./workrail.ts";
export type { UpkeepParams, UpkeepProgress, UpkeepReport } from "./upkeep-params.ts";
export type { WrittenFile } from "./write-new-file.ts";
export { contextOptimizer } from "./live/context-optimizer.ts";
