import "./needs-node.ts";
export { CHAIN_START, linked, placeOf } from "./audit/audit-chain.ts";
export { classifyContext } from "./classify/classify-context.ts";
export type { ClassifyHow, ClassifyPorts } from "./classify/classify-context.ts";
export { moreImportant } from "./model/classification.ts";
export type { CompiledRules, ContextRules, Phase } from "./model/context-rules.ts";
export type { CleanUpReason, Spared } from "./clean-up/plan.ts";
export type { Selection } from "./clean-up/plan-removal.ts";
export type { UpkeepPolicy } from "./clean-up/plan-upkeep.ts";
export type { Classifier } from "./ports/classifier.ts";
export type { Condenser } from "./ports/condenser.ts";
export type { Classification } from "./model/classification.ts";
export { atOnce, inTurns } from "./turns.ts";
export { singularsOf, wordsOf } from "./words/key-words.ts";
export { isSmallTalk, withoutSmallTalk } from "./words/small-talk.ts";
export type { EmbeddedAs, Embedder } from "./ports/embedder.ts";
export { isObjectPointer, OBJECT_POINTER, refuseObjectPointer } from "./object-pointer.ts";
export { decodeBlob } from "./envelope/decode-blob.ts";
export { checkOf, decodeEnvelope, encodeEnvelope, MAX_ENVELOPE_BYTES } from "./envelope/envelope.ts";
export type { DecodedBlob, DeltaBlob, WholeBlob } from "./envelope/envelope.ts";
export { ERROR_CODES, invalidInput, isWorkrailError, WorkrailError } from "./errors.ts";
export { isFaultOfOneFile } from "./fault-of-one-file.ts";
export type { ErrorCode, ErrorDetails, ErrorOptions } from "./errors.ts";
export { canonicalJson } from "./json/canonical-json.ts";
export { checkJson } from "./json/check-json.ts";
export { copyOf } from "./json/with-members.ts";
export type { JsonCheck } from "./json/check-json.ts";
export { parseJson } from "./json/parse-json.ts";
export { roundedIntegers } from "./json/rounded-integers.ts";
export { checkContext, ownContext, prepareContext, prepareText, writeText } from "./json/prepare-context.ts";
export type { PreparedContext } from "./json/prepare-context.ts";
export { BACKSLASH, BRACE, BRACKET, COLON, COMMA, END_BRACE, END_BRACKET, LINE_FEED, QUOTE } from "./json/signs.ts";
export { ownJson } from "./json/own-json.ts";
export { ALREADY_HELD } from "./locking/already-held.ts";
export { ProcessGate } from "./locking/process-gate.ts";
export { ProcessLocking } from "./locking/process-locking.ts";
export { SerialQueue } from "./locking/serial-queue.ts";
export { checkAttributeFilter, comparedAttributes } from "./model/attribute-filter.ts";
export type { AttributeFilter, AttributeValue } from "./model/attribute-filter.ts";
export { AUDIT_ACTIONS, ERASED, FAILED } from "./model/audit.ts";
export type { AuditAction, AuditBreak, AuditDigest, AuditEvent, AuditPlace, LinkCheck, LoggedEvent } from "./model/audit.ts";
export { CHECKPOINT_KINDS } from "./model/checkpoint.ts";
export type { CheckpointFacts, CheckpointKind, CheckpointRecord, Durability, NewRecord } from "./model/checkpoint.ts";
export { isJsonObject } from "./model/context.ts";
export type { Context, JsonObject, JsonValue } from "./model/context.ts";
export { CONVERSATION_FORMATS, CONVERSATION_LIMITS } from "./model/conversation.ts";
export type { ConversationFormat, GivenConversation } from "./model/conversation.ts";
export type { DroppedEntries, NamedKeys } from "./model/dropped-entries.ts";
export type { ForeignCheckpoint, ForeignSession } from "./model/foreign-session.ts";
export { GIT_STATE, gitStateOf, gitStateToJson, searchableAttributes } from "./model/git-state.ts";
export type { GitState } from "./model/git-state.ts";
export { IMPORT_CONFLICT_POLICIES } from "./model/import-conflict-policies.ts";
export type { ImportConflictPolicy } from "./model/import-conflict-policies.ts";
export { SESSION_NAME } from "./model/session-name.ts";
export { SESSION_PROJECT } from "./model/session-project-attribute.ts";
export { otherProjectOf, otherProjectRefused, otherProjectWarning, sessionProjectOf } from "./model/session-project.ts";
export { parseCheckpointId, parseDigest, parseSessionId, uuidOf } from "./model/ids.ts";
export type { BlobRef, ChangePosition, CheckpointId, Digest, KeyId, PageCursor, SessionId } from "./model/ids.ts";
export { LAYERS } from "./model/layer.ts";
export type { Layer, LayerSummary } from "./model/layer.ts";
export { DEFAULT_LIMITS, LABEL_LIMITS } from "./model/limits.ts";
export type { Limits } from "./model/limits.ts";
export { KEEP_TAG } from "./model/session.ts";
export type { Session, SessionFacts, Shield } from "./model/session.ts";
export type { BackupContents, BackupTarget, UnreadableInBackup } from "./ports/backup-target.ts";
export type { BlobInfo, BlobKey, BlobStore, QuarantinedBlob, UnreadablePlace } from "./ports/blob-store.ts";
export { append, type Append, type AppendWithBlob, type CommitOutcome, type Quota, type QuotaUsage } from "./catalog/rules/append.ts";
export type { AsideLimit } from "./catalog/asides.ts";
export type { AuditCheck, AuditWalk } from "./catalog/queries/check-audit.ts";
export type { AuditCut } from "./catalog/rules/cut-audit.ts";
export type { AuditQuery } from "./catalog/reads.ts";
export type { CatalogChange } from "./catalog/rules/commit.ts";
export type { ChangedSession } from "./model/session.ts";
export type { ChangePage, ChangeQuery } from "./catalog/queries/list-changes.ts";
export type { CheckpointFilter, CheckpointPage, CheckpointQuery } from "./catalog/queries/query-checkpoints.ts";
export type { Discrepancies } from "./catalog/rules/reconcile.ts";
export type { Edge } from "./catalog/rows.ts";
export type { Erasure } from "./catalog/queries/list-erasures.ts";
export type { Forgetting } from "./catalog/rules/forget.ts";
export type { Move } from "./catalog/rules/move.ts";
export type { RemoveBlobs } from "./catalog/rules/reclaim.ts";
export type { Rewriting } from "./audit/rechain.ts";
export type { SessionPage, SessionQuery } from "./catalog/queries/query-sessions.ts";
export type { StoredForm } from "./catalog/rules/change-form.ts";
export type { StoreUsage } from "./catalog/queries/sum-usage.ts";
export type { TrashedCheckpoint, TrashPage, TrashQuery } from "./catalog/queries/query-trash.ts";
export { quickDigest } from "./quick-digest.ts";
export { shellWord } from "./shell-word.ts";
export { auditRows } from "./catalog/queries/audit-rows.ts";
export { checkAudit } from "./catalog/queries/check-audit.ts";
export { findCheckpoint, findHead } from "./catalog/queries/find-checkpoint.ts";
export { findSession, findSessionAndHead } from "./catalog/queries/find-session.ts";
export { listChanges } from "./catalog/queries/list-changes.ts";
export { listErasures } from "./catalog/queries/list-erasures.ts";
export { liveWhere, queryCheckpoints } from "./catalog/queries/query-checkpoints.ts";
export { querySessions } from "./catalog/queries/query-sessions.ts";
export { queryTrash } from "./catalog/queries/query-trash.ts";
export { sumUsage } from "./catalog/queries/sum-usage.ts";
export { reclaimBlobs } from "./catalog/reclaim-blobs.ts";
export { cutRows } from "./catalog/rules/cut-audit.ts";
export { findDiscrepancies, reconcile } from "./catalog/rules/reconcile.ts";
export { fill } from "./catalog/fill.ts";
export type { CatalogContent, CatalogPort, CatalogReader, ChainedRecovery, RecoveryPort } from "./catalog/catalog-port.ts";
export { chained } from "./catalog/chained.ts";
export { answered, decided } from "./catalog/decided.ts";
export type { Settled } from "./catalog/decided.ts";
export { MemoryTables } from "./catalog/memory-tables.ts";
export type { TablesContent } from "./catalog/memory-tables.ts";
export { observed } from "./catalog/observed.ts";
export { changeForm } from "./catalog/rules/change-form.ts";
export { commit } from "./catalog/rules/commit.ts";
export { hold } from "./catalog/rules/hold.ts";
export { markDamaged } from "./catalog/rules/mark-damaged.ts";
export { reclaim } from "./catalog/rules/reclaim.ts";
export { release } from "./catalog/rules/release.ts";
export { foldedForms, foldedLabels } from "./catalog/folded.ts";
export { matcherOf } from "./catalog/matcher-of.ts";
export { ALL } from "./catalog/reads.ts";
export type { Answers, Facts, Place, Read, Reads, Select, SelectSessions, SessionWhere, Where } from "./catalog/reads.ts";
export { contentOf, EVERYTHING, rewrite } from "./catalog/rewrite.ts";
export type { Everything } from "./catalog/rewrite.ts";
export { changed, changesOf, KEY_OF } from "./catalog/rows.ts";
export type { Change, CheckpointRow, ErasureRow, HoldRow, NewRow, RemovalRow, RowChange, SessionRow, Tables } from "./catalog/rows.ts";
export { mapped, nothing, rule } from "./catalog/rule.ts";
export type { Decision, Rule } from "./catalog/rule.ts";
export { factsOf, survivingFacts, survivingReads } from "./catalog/surviving-facts.ts";
export { matchesFilter } from "./catalog/matches-filter.ts";
export { applyPatch } from "./patch/apply-patch.ts";
export type { PatchedContext } from "./patch/apply-patch.ts";
export { parseGivenState } from "./patch/parse-given-state.ts";
export type { GivenState } from "./patch/parse-given-state.ts";
export type { Patch, PatchChanges } from "./patch/patch.ts";
export { noBase } from "./use-cases/save/find-base.ts";
export type { Codec } from "./ports/codec.ts";
export type { Background, Clock, CountTokens, Digester, IdGenerator, Log, LogFields, TokenCounter } from "./ports/environment.ts";
export type { Locking } from "./ports/locking.ts";
export type { PatternCompiler } from "./ports/patterns.ts";
export type { KeyFiles, KeyPlace, Sealer } from "./ports/sealer.ts";
export type { FindSecrets, FoundSecret, SecretKind, SecretScanner } from "./ports/secret-scanner.ts";
export type { SecretScreen, SecretsMode } from "./ports/secret-screen.ts";
export {
  type AuditChain,
  type ChainedStorage,
  type Job,
  JOBS,
  type Remain,
  type Remains,
  type Reserve,
  type Storage,
} from "./ports/storage.ts";
export type { NewTranscript, TranscriptFiles, WrittenTranscript } from "./ports/transcript-files.ts";
export type {
  CheckpointVector,
  Neighbour,
  PendingSession,
  VectorEngine,
  VectorIndex,
  VectorIndexing,
  VectorNews,
  VectorQuery,
  VectorSpace,
  SpaceState,
  VectorState,
} from "./ports/vector-index.ts";
export { dotProduct, NearestFirst, unitVector } from "./words/nearest.ts";
export { readOnly } from "./read-only/read-only-error.ts";
export { readOnlyStorage, readOnlyStorageOf } from "./read-only/read-only-storage.ts";
export { isSameBytes } from "./same-bytes.ts";
export { runAll, runThen } from "./run-all.ts";
export { firstCharacters, hasAtMost } from "./model/characters.ts";
export { labelsOf, labelsText, placesInWords, screenSecrets } from "./use-cases/save/screen-secrets.ts";
export { redact } from "./secrets/redact.ts";
export type { Redacted } from "./secrets/redact.ts";
export { cutAudit } from "./use-cases/audit/cut-audit.ts";
export type { CutAuditOptions, CutAuditPorts } from "./use-cases/audit/cut-audit.ts";
export { exportAudit } from "./use-cases/audit/export-audit.ts";
export type { AuditFilter, ExportAuditPorts } from "./use-cases/audit/export-audit.ts";
export { verifyAudit } from "./use-cases/audit/verify-audit.ts";
export type {
  AuditFinding,
  AuditReport,
  AuditRowInfo,
  VerifyAuditOptions,
  VerifyAuditPorts,
  VerifyAuditProgress,
} from "./use-cases/audit/verify-audit.ts";
export { BackgroundQueue } from "./use-cases/care/background-queue.ts";
export type { CleanUpOptions, CleanUpPorts, CleanUpProgress, CleanUpReport, Removal, RemovalPorts } from "./use-cases/remove/carry-out.ts";
export { cleanUp } from "./use-cases/remove/clean-up.ts";
export type { UpkeepOptions } from "./use-cases/remove/clean-up.ts";
export { compactSession } from "./use-cases/compact/compact-session.ts";
export type { CompactionLimits, CompactionPorts, CompactionReport } from "./use-cases/compact/compact-session.ts";
export type { ProofPorts } from "./use-cases/compact/prove-deltas.ts";
export { collectGarbage, finishRemovals, removeBlobs } from "./use-cases/remove/collect-garbage.ts";
export type { GarbagePorts, GarbageReport } from "./use-cases/remove/collect-garbage.ts";
export { eraseCheckpoints } from "./use-cases/remove/erase-checkpoints.ts";
export type { ErasedCheckpoint, EraseInput, ErasureReport, KnownCopies } from "./use-cases/remove/erase-checkpoints.ts";
export { finishErasures } from "./use-cases/remove/finish-erasures.ts";
export type { ErasingPorts, FinishedErasures } from "./use-cases/remove/finish-erasures.ts";
export { emptyTrash } from "./use-cases/remove/empty-trash.ts";
export type { EmptyTrashInput } from "./use-cases/remove/empty-trash.ts";
export { HANDLE_MS, issueHandle } from "./use-cases/save/issue-handle.ts";
export type { Handle, HandlePorts } from "./use-cases/save/issue-handle.ts";
export { checkAttributes, checkName, checkPath, checkTags } from "./use-cases/sessions/labels.ts";
export { keepSession } from "./use-cases/sessions/keep-session.ts";
export type { KeepInput } from "./use-cases/sessions/keep-session.ts";
export { listCheckpoints } from "./use-cases/load/list-checkpoints.ts";
export type { CheckpointListing, ListInput, ListPorts } from "./use-cases/load/list-checkpoints.ts";
export { listSessions } from "./use-cases/sessions/list-sessions.ts";
export type { ListedSession, ListSessionsInput, SessionListing } from "./use-cases/sessions/list-sessions.ts";
export { listTrash } from "./use-cases/remove/list-trash.ts";
export type { ListTrashInput } from "./use-cases/remove/list-trash.ts";
export { droppedSince } from "./use-cases/save/dropped-entries.ts";
export { loadCheckpoint, sessionNotFound, unknownCheckpoint } from "./use-cases/load/load-checkpoint.ts";
export type { LoadedCheckpoint, LoadInput, LoadPorts, LikelyCheckpoint, UnreadableCheckpoint } from "./use-cases/load/load-checkpoint.ts";
export { getBlob, isItsOwnFault, isToBeNamed, isUnreadableBlob, refuseWhenNothingIsRead } from "./use-cases/load/get-blob.ts";
export { pruneToTrash } from "./use-cases/save/prune-to-trash.ts";
export type { PruneInput } from "./use-cases/save/prune-to-trash.ts";
export { resolveCheckpoint } from "./use-cases/load/resolve-checkpoint.ts";
export type { ResolveInput, ResolveScope } from "./use-cases/load/resolve-checkpoint.ts";
export { stateChanges } from "./use-cases/save/changed-since.ts";
export type { StateChanges } from "./use-cases/save/changed-since.ts";
export { makeRoom } from "./use-cases/remove/make-room.ts";
export type { RoomNeeded } from "./use-cases/remove/make-room.ts";
export { exceedPinLimits, pinEntry } from "./use-cases/sessions/pin-entry.ts";
export type { PinInput, PinPorts, PinResult } from "./use-cases/sessions/pin-entry.ts";
export { ownerOf, recordTag, type SideRecord } from "./model/side-record.ts";
export { type CopiedSession, type CopyPorts, copySession, type CopySessionInput, type Renamed } from "./use-cases/save/copy-session.ts";
export { keepingSession } from "./use-cases/save/keeping-session.ts";
export { type AppendRecordsInput, appendRecords, type NewSideRecord } from "./use-cases/save/append-records.ts";
export { ERRORS_OF_ONE, type LoadedText, type LoadedTexts, loadTexts } from "./use-cases/load/load-texts.ts";
export { readContext } from "./use-cases/load/read-context.ts";
export type { ReadContext, ReadPorts } from "./use-cases/load/read-context.ts";
export { rebuildCatalog, recoverCatalog } from "./use-cases/care/rebuild-catalog.ts";
export type { RebuildOptions, RebuildPorts, RebuildReport } from "./use-cases/care/rebuild-catalog.ts";
export { readBlobs } from "./use-cases/care/read-blobs.ts";
export type { ReadBlobsProgress } from "./use-cases/care/read-blobs.ts";
export { repairStore } from "./use-cases/care/repair-store.ts";
export type { RepairOptions, RepairPorts, RepairReport } from "./use-cases/care/repair-store.ts";
export { removeCheckpoints } from "./use-cases/remove/remove-checkpoints.ts";
export { restoreFromTrash } from "./use-cases/remove/restore-from-trash.ts";
export type { RestoreInput } from "./use-cases/remove/restore-from-trash.ts";
export { eachRecord, eachSession, eachTrashed } from "./use-cases/remove/view-store.ts";
export { saveAside } from "./use-cases/save/save-aside.ts";
export type { AsideInput, SavedAside } from "./use-cases/save/save-aside.ts";
export { checkSize, saveCheckpoint } from "./use-cases/save/save-checkpoint.ts";
export { RecentKeys } from "./use-cases/save/recent-keys.ts";
export type { SaveInput, SavePorts, SaveResult } from "./use-cases/save/save-checkpoint.ts";
export { storeStats } from "./use-cases/care/store-stats.ts";
export type { Figures, ProjectStats, SessionStats, StatsInput, StatsPorts, StoreStats } from "./use-cases/care/store-stats.ts";
export { tagSession } from "./use-cases/sessions/tag-session.ts";
export type { TagInput } from "./use-cases/sessions/tag-session.ts";
export { traceSession } from "./use-cases/sessions/trace-session.ts";
export type { SessionTrace, TraceInput, TraceNode } from "./use-cases/sessions/trace-session.ts";
export { scanStore } from "./use-cases/care/scan-store.ts";
export type { ScanOptions, ScanPorts, ScanProgress, ScanReport, StoredSecret } from "./use-cases/care/scan-store.ts";
export type { PlacedSecret, SecretsReport } from "./use-cases/save/screen-secrets.ts";
export { storeStatus } from "./use-cases/care/store-status.ts";
export type { IndexStatus, SearchStatus, VectorsStatus } from "./use-cases/care/index-status.ts";
export type { LastCleanUp, QuarantineUse, QuotaUse, SessionUse, StatusPorts, StoreStatus } from "./use-cases/care/store-status.ts";
export { verifyStore } from "./use-cases/care/verify-store.ts";
export type { Finding, FindingKind, VerifyOptions, VerifyPorts, VerifyProgress, VerifyReport } from "./use-cases/care/verify-store.ts";
export type { Steps } from "./turns.ts";
export { cutToTokens, estimateTokens } from "./words/estimate-tokens.ts";
export { editDistance, isAlike, mostApart } from "./words/alike.ts";
export type {
  IndexChange,
  IndexedCheckpoint,
  IndexedSession,
  IndexFilter,
  IndexHit,
  IndexNews,
  IndexQuery,
  Instead,
  IndexState,
  Matches,
  PageOfMatches,
  SearchEngine,
  SearchIndex,
  SearchIndexing,
  TextOfCheckpoint,
  WeightedTerm,
  AskedTerm,
} from "./ports/search-index.ts";
export { whyUnreadable } from "./why-unreadable.ts";
export { COMPRESSION_STRATEGIES } from "./model/compression-strategies.ts";
export type { CompressionStrategy } from "./model/compression-strategies.ts";
export { UNCLASSIFIED } from "./model/classification.ts";
export type { CallEvent, ResultEvent, TranscriptEvent } from "./model/transcript-event.ts";
export { decodeUtf8, encodeUtf8 } from "./platform.ts";
export { cutText, splitsPair } from "./words/cut-text.ts";
export { countOf } from "./use-cases/care/count-of.ts";
