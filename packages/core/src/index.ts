import "./needs-node.ts";
export { CHAIN_START, chained, linked, placeOf } from "./audit/audit-chain.ts";
export { classifyContext, type ClassifyOptions, type ClassifyPorts } from "./classify/classify-context.ts";
export { type Classification, type Layer, LAYERS, type LayerSummary, UNCLASSIFIED } from "./model/classification.ts";
export type { CompiledRules, ContextRules, Phase } from "./model/context-rules.ts";
export type { CleanUpReason, Spared } from "./clean-up/plan.ts";
export type { Selection } from "./clean-up/plan-removal.ts";
export type { UpkeepPolicy } from "./clean-up/plan-upkeep.ts";
export type { Classifier } from "./ports/classifier.ts";
export type { Condenser } from "./ports/condenser.ts";
export { atOnce, inTurns, type Steps } from "./turns.ts";
export { singularsOf, wordsOf } from "./words/key-words.ts";
export { isSmallTalk, withoutSmallTalk } from "./words/small-talk.ts";
export type { EmbeddedAs, Embedder } from "./ports/embedder.ts";
export { isObjectPointer, OBJECT_POINTER, refuseObjectPointer } from "./object-pointer.ts";
export { checkOf, decodeBlob, decodeEnvelope, encodeEnvelope, MAX_ENVELOPE_BYTES } from "./envelope/envelope.ts";
export type { DecodedBlob, DeltaBlob, WholeBlob } from "./envelope/envelope.ts";
export { ERROR_CODES, invalidInput, isFaultOfOneFile, isWorkrailError, readOnly, WorkrailError } from "./errors.ts";
export type { ErrorCode, ErrorDetails, ErrorOptions } from "./errors.ts";
export { canonicalJson } from "./json/write-json.ts";
export { checkJson, copyOf, isPlain, type JsonCheck, ownJson, setMember } from "./json/check-json.ts";
export {
  BACKSLASH,
  BRACE,
  BRACKET,
  COLON,
  COMMA,
  END_BRACE,
  END_BRACKET,
  LINE_FEED,
  parseJson,
  QUOTE,
  roundedIntegers,
} from "./json/parse-json.ts";
export { type JsonBytes, RecentJson } from "./json/recent-json.ts";
export { checkContext, ownContext, prepareContext, type PreparedContext, prepareText, writeText } from "./json/saved-content.ts";
export { ALREADY_HELD, ProcessLocking, SerialQueue } from "./locking/process-locking.ts";
export { type AttributeFilter, type AttributeValue, checkAttributeFilter, comparedAttributes } from "./model/attribute-filter.ts";
export { AUDIT_ACTIONS, ERASED, FAILED } from "./model/audit.ts";
export type { AuditAction, AuditBreak, AuditDigest, AuditEvent, AuditPlace, LinkCheck, LoggedEvent } from "./model/audit.ts";
export { CHECKPOINT_KINDS } from "./model/checkpoint.ts";
export type { CheckpointFacts, CheckpointKind, CheckpointRecord, Durability, NewRecord } from "./model/checkpoint.ts";
export { type Context, isJsonObject, type JsonObject, type JsonValue } from "./model/context.ts";
export { CONVERSATION_FORMATS, type ConversationFormat } from "./model/conversation.ts";
export { RecentHeads, type SessionWithHead } from "./use-cases/save/recent-heads.ts";
export { type DroppedEntries, type DroppedPorts, droppedSince, type NamedKeys, RecentKeys } from "./use-cases/save/dropped-entries.ts";
export type { ForeignCheckpoint, ForeignSession } from "./model/foreign-session.ts";
export {
  GIT_STATE,
  gitStateOf,
  gitStateToJson,
  otherProjectOf,
  otherProjectRefused,
  otherProjectWarning,
  searchableAttributes,
  SESSION_NAME,
  SESSION_PROJECT,
  sessionProjectOf,
} from "./model/product-attributes.ts";
export type { GitState } from "./model/product-attributes.ts";
export { IMPORT_CONFLICT_POLICIES, type ImportConflictPolicy } from "./model/import-conflict-policies.ts";
export { parseCheckpointId, parseDigest, parseSessionId, uuidOf } from "./model/ids.ts";
export type { BlobRef, ChangePosition, CheckpointId, Digest, KeyId, PageCursor, SessionId } from "./model/ids.ts";
export { DEFAULT_LIMITS, LABEL_LIMITS, type Limits } from "./model/limits.ts";
export { type ChangedSession, KEEP_TAG, type Session, type SessionFacts, type Shield } from "./model/session.ts";
export type { BackupContents, BackupTarget, UnreadableInBackup } from "./ports/backup-target.ts";
export type { BlobInfo, BlobKey, BlobStore, QuarantinedBlob, UnreadablePlace } from "./ports/blob-store.ts";
export { append, type Append, type AppendWithBlob, type CommitOutcome, type Quota, type QuotaUsage } from "./catalog/rules/append.ts";
export type { AsideLimit } from "./catalog/asides.ts";
export { auditRows, checkAudit, listChanges } from "./catalog/queries/read-audit.ts";
export type { AuditCheck, AuditWalk, ChangePage, ChangeQuery } from "./catalog/queries/read-audit.ts";
export { type AuditCut, cutRows } from "./catalog/rules/cut-audit.ts";
export { ALL } from "./catalog/reads.ts";
export type { Answers, AuditQuery, Facts, Place, Read, Reads, Select, SelectSessions, SessionWhere, Where } from "./catalog/reads.ts";
export { type CatalogChange, commit } from "./catalog/rules/commit.ts";
export { findCheckpoint, findHead, liveWhere, queryCheckpoints } from "./catalog/queries/query-checkpoints.ts";
export type { CheckpointFilter, CheckpointPage, CheckpointQuery } from "./catalog/queries/query-checkpoints.ts";
export { type Discrepancies, findDiscrepancies, reconcile } from "./catalog/rules/reconcile.ts";
export { changed, changesOf, KEY_OF } from "./catalog/rows.ts";
export type {
  Change,
  CheckpointRow,
  Edge,
  ErasureRow,
  HoldRow,
  NewRow,
  RemovalRow,
  RowChange,
  SessionRow,
  Tables,
} from "./catalog/rows.ts";
export { type Erasure, listErasures } from "./catalog/queries/list-erasures.ts";
export type { Forgetting } from "./catalog/rules/forget.ts";
export type { Move } from "./catalog/rules/move.ts";
export { reclaim, reclaimBlobs, type RemoveBlobs } from "./catalog/rules/reclaim.ts";
export { andForget, type Emptied } from "./catalog/rules/reclaim-and-forget.ts";
export { contentOf, EVERYTHING, type Everything, rewrite, type Rewriting } from "./catalog/rewrite.ts";
export { findSession, findSessionAndHead, querySessions, type SessionPage, type SessionQuery } from "./catalog/queries/query-sessions.ts";
export { changeForm, markDamaged, type StoredForm } from "./catalog/rules/change-form.ts";
export { type StoreUsage, sumUsage } from "./catalog/queries/sum-usage.ts";
export { queryTrash, type TrashedCheckpoint, type TrashPage, type TrashQuery } from "./catalog/queries/query-trash.ts";
export { quickDigest } from "./quick-digest.ts";
export { shellWord } from "./shell-word.ts";
export { fill } from "./catalog/fill.ts";
export type { CatalogContent, CatalogPort, CatalogReader, ChainedRecovery, RecoveryPort } from "./catalog/catalog-port.ts";
export { answered, decided, type Decision, mapped, nothing, rule, type Rule, type Settled } from "./catalog/rule.ts";
export { MemoryTables, type TablesContent } from "./catalog/memory-tables.ts";
export { hold, release } from "./catalog/rules/hold.ts";
export { foldedForms, foldedLabels, matcherOf, matchesFilter } from "./catalog/matching-rows.ts";
export { factsOf, survivingFacts, survivingReads } from "./catalog/surviving-facts.ts";
export { applyPatch, type PatchedContext } from "./patch/apply-patch.ts";
export { type GivenState, parseGivenState } from "./patch/parse-given-state.ts";
export type { Patch, PatchChanges } from "./patch/patch.ts";
export { noBase } from "./use-cases/save/find-base.ts";
export type { Codec } from "./ports/codec.ts";
export type { Background, Clock, CountTokens, Digester, IdGenerator, Log, LogFields, TokenCounter } from "./ports/environment.ts";
export type { Locking } from "./ports/locking.ts";
export type { PatternCompiler } from "./ports/patterns.ts";
export type { KeyFiles, KeyPlace, Sealer } from "./ports/sealer.ts";
export type { FindSecrets, FoundSecret, SecretKind, SecretScanner, SecretScreen, SecretsMode } from "./ports/secret-scanner.ts";
export { JOBS } from "./ports/storage.ts";
export type { AuditChain, ChainedStorage, Job, Remain, Remains, Reserve, Storage } from "./ports/storage.ts";
export type { NewTranscript, TranscriptFiles, WrittenTranscript } from "./ports/transcript-files.ts";
export type {
  CheckpointVector,
  Neighbour,
  PendingSession,
  SpaceState,
  VectorEngine,
  VectorIndex,
  VectorIndexing,
  VectorNews,
  VectorQuery,
  VectorSpace,
  VectorState,
} from "./ports/vector-index.ts";
export { dotProduct, NearestFirst, unitVector } from "./words/nearest.ts";
export { decodeUtf8, encodeUtf8, isSameBytes } from "./json/utf8.ts";
export { runAll, runFinally } from "./run-all.ts";
export { cutText, firstCharacters, hasAtMost, splitsPair } from "./model/characters.ts";
export { labelsOf, labelsText, placesInWords, screenSecrets, screenSecretsBy } from "./use-cases/save/screen-secrets.ts";
export type { PlacedSecret, ScreenSecrets, SecretsReport } from "./use-cases/save/screen-secrets.ts";
export { redact, type Redacted } from "./secrets/redact.ts";
export { cutAudit, type CutAuditOptions, type CutAuditPorts } from "./use-cases/audit/cut-audit.ts";
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
export { cleanUp, type UpkeepOptions } from "./use-cases/remove/clean-up.ts";
export { type CompactionLimits, type CompactionPorts, type CompactionReport, compactSession } from "./use-cases/compact/compact-session.ts";
export type { ProofPorts } from "./use-cases/compact/prove-deltas.ts";
export { collectGarbage, finishRemovals, type GarbagePorts, type GarbageReport, removeBlobs } from "./use-cases/remove/collect-garbage.ts";
export { eraseCheckpoints } from "./use-cases/remove/erase-checkpoints.ts";
export type { ErasedCheckpoint, EraseInput, ErasureReport, KnownCopies } from "./use-cases/remove/erase-checkpoints.ts";
export { type ErasingPorts, type FinishedErasures, finishErasures } from "./use-cases/remove/finish-erasures.ts";
export { type Handle, HANDLE_MS, type HandlePorts, issueHandle } from "./use-cases/save/issue-handle.ts";
export { checkAttributes, checkName, checkPath, checkTags, isStorablePath } from "./use-cases/sessions/labels.ts";
export { type KeepInput, keepSession, type TagInput, tagSession } from "./use-cases/sessions/tag-session.ts";
export { type CheckpointListing, listCheckpoints, type ListInput, type ListPorts } from "./use-cases/load/list-checkpoints.ts";
export { type ListedSession, listSessions, type ListSessionsInput, type SessionListing } from "./use-cases/sessions/list-sessions.ts";
export { loadCheckpoint, sessionNotFound, unknownCheckpoint } from "./use-cases/load/load-checkpoint.ts";
export type { LikelyCheckpoint, LoadedCheckpoint, LoadInput, LoadPorts, UnreadableCheckpoint } from "./use-cases/load/load-checkpoint.ts";
export { getBlob, isItsOwnFault, isToBeNamed, isUnreadableBlob, refuseWhenNothingIsRead } from "./use-cases/load/get-blob.ts";
export { type PruneInput, pruneToTrash } from "./use-cases/save/prune-to-trash.ts";
export { resolveCheckpoint, type ResolveInput, type ResolveScope } from "./use-cases/load/resolve-checkpoint.ts";
export { stateChanges, type StateChanges } from "./use-cases/save/changed-since.ts";
export { makeRoom, type RoomNeeded } from "./use-cases/remove/make-room.ts";
export { exceedPinLimits, pinEntry, type PinInput, type PinPorts, type PinResult } from "./use-cases/sessions/pin-entry.ts";
export { ownerOf, recordTag, type SideRecord } from "./model/side-record.ts";
export { type CopiedSession, type CopyPorts, copySession, type CopySessionInput, type Renamed } from "./use-cases/save/copy-session.ts";
export { keepingSession, labellingSession, type SessionLabels } from "./use-cases/save/keeping-session.ts";
export { appendRecords, type AppendRecordsInput, type NewSideRecord } from "./use-cases/save/append-records.ts";
export { ERRORS_OF_ONE, type LoadedText, type LoadedTexts, loadTexts } from "./use-cases/load/load-texts.ts";
export { readContext, type ReadContext, type ReadPorts } from "./use-cases/load/read-context.ts";
export { rebuildCatalog, recoverCatalog } from "./use-cases/care/rebuild-catalog.ts";
export type { RebuildOptions, RebuildPorts, RebuildReport } from "./use-cases/care/rebuild-catalog.ts";
export { countOf, readBlobs, type ReadBlobsProgress } from "./use-cases/care/read-blobs.ts";
export { type RepairOptions, type RepairPorts, type RepairReport, repairStore } from "./use-cases/care/repair-store.ts";
export { removeCheckpoints } from "./use-cases/remove/remove-checkpoints.ts";
export { eachRecord, eachSession, eachTrashed } from "./use-cases/remove/view-store.ts";
export { emptyTrash, type EmptyTrashInput } from "./use-cases/remove/empty-trash.ts";
export { listTrash, type ListTrashInput } from "./use-cases/remove/list-trash.ts";
export { restoreFromTrash, type RestoreInput } from "./use-cases/remove/restore-from-trash.ts";
export { type AsideInput, saveAside, type SavedAside } from "./use-cases/save/save-aside.ts";
export { checkSize, saveCheckpoint } from "./use-cases/save/save-checkpoint.ts";
export type { SaveInput, SavePorts, SaveResult } from "./use-cases/save/save-input.ts";
export { type SessionTrace, type TraceInput, type TraceNode, traceSession } from "./use-cases/sessions/trace-session.ts";
export { scanStore } from "./use-cases/care/scan-store.ts";
export type { ScanOptions, ScanPorts, ScanProgress, ScanReport, StoredSecret } from "./use-cases/care/scan-store.ts";
export { verifyStore } from "./use-cases/care/verify-store.ts";
export type { Finding, FindingKind, VerifyOptions, VerifyPorts, VerifyProgress, VerifyReport } from "./use-cases/care/verify-store.ts";
export { cutToTokens, estimateTokens } from "./words/estimate-tokens.ts";
export { editDistance, isAlike, maxDistance } from "./words/alike.ts";
export type {
  AskedTerm,
  IndexChange,
  IndexedCheckpoint,
  IndexedSession,
  IndexFilter,
  IndexHit,
  IndexNews,
  IndexQuery,
  IndexState,
  Substitute,
  Matches,
  PageOfMatches,
  SearchEngine,
  SearchIndex,
  SearchIndexing,
  TextOfCheckpoint,
  WeightedTerm,
} from "./ports/search-index.ts";
export { whyUnreadable } from "./why-unreadable.ts";
export { COMPRESSION_STRATEGIES, type CompressionStrategy } from "./model/compression-strategies.ts";
export type { CallEvent, ResultEvent, TranscriptEvent } from "./model/transcript-event.ts";
