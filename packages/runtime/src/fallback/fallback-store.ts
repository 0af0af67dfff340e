import {
  type BackupOptions,
  type CleanUpReport,
  type Durability,
  type ExportOptions,
  type GarbageReport,
  isWorkrailError,
  type GivenState,
  type Limits,
  ownContext,
  parseGivenState,
  parseSessionId,
  ProcessGate,
  type RebuildOptions,
  type RebuildReport,
  type RepairOptions,
  type RepairReport,
  runAll,
  type ScanReport,
  type SessionId,
  type Storage,
  type StoreStats,
  type StoreStatus,
  type VerifyOptions,
  type VerifyReport,
  type WorkrailError,
} from "@workrail/core";
import { openMemoryStorage } from "@workrail/memory";
import type { AuditLogFilter, AuditLogParams, AuditLogResult, VerifyAuditLogParams, VerifyAuditLogResult } from "../audit-log.ts";
import { checkParams } from "../check-params.ts";
import type { CleanUpParams, EmptyTrashParams, FromTrashParams, FromTrashResult, TrashedMetadata } from "../clean-up-params.ts";
import { wire } from "../container.ts";
import type {
  CheckpointMetadata,
  CompressContextParams,
  FindCheckpointsParams,
  FindCheckpointsResult,
  LoadCheckpointParams,
  LoadCheckpointResult,
  MarkCriticalParams,
  MarkCriticalResult,
  PrioritizeContextParams,
  SaveCheckpointParams,
  SaveCheckpointResult,
  SessionMetadata,
  ShapeContextParams,
  ShapedContextResult,
  BriefViewResult,
  ViewCheckpointParams,
  ViewCheckpointResult,
} from "../context-management-service.ts";
import type { StoreConversationParams, StoreConversationResult } from "../conversations.ts";
import { nodeDigests, randomIds } from "../environment.ts";
import type { EraseParams, EraseResult } from "../erasing.ts";
import type { FittedFields } from "../fit-fields.ts";
import type { IncomingSave } from "../hooks/incoming-save.ts";
import type { LiveContext, LiveContextParams } from "../live/live-context.ts";
import { ownLabels } from "../metadata.ts";
import type { StorePlan } from "../open-store.ts";
import { ProjectCheckpoints } from "../project-checkpoints/project-checkpoints.ts";
import type { HandoffParams, HandoffResult, ResumeParams, ResumeResult } from "../resume/resume-params.ts";
import type { BackupResult } from "../restore-options.ts";
import type { ScanStoreParams } from "../secrets/told-secrets.ts";
import { SessionResolver } from "../session-resolver.ts";
import type { FinishIndexOptions, SearchCheckpointsParams, SearchCheckpointsResult } from "../search/search-checkpoints.ts";
import { closed, Store } from "../store.ts";
import { tokenCounter } from "../token-counter.ts";
import type {
  ExportAllOptions,
  ExportAllResult,
  ExportResult,
  ExportSessionOptions,
  ImportFileOptions,
  ImportFileResult,
  ImportedText,
  ImportTextOptions,
  ImportTextResult,
} from "../transfer.ts";
import type {
  CompareCheckpointsParams,
  CompareCheckpointsResult,
  ListSessionsParams,
  ListSessionsResult,
  TagSessionParams,
  TraceSessionParams,
  TraceSessionResult,
} from "../overview.ts";
import type { LeftOut, ResolveCheckpointParams, ResolvedCheckpoint, StoreStatsParams, Workrail } from "../workrail.ts";
import type { WrittenFile } from "../write-new-file.ts";
import { overlayStorage } from "./overlay-storage.ts";
import { RetainedMemory } from "./retained-memory.ts";
import { Standby } from "./standby.ts";
import { isStorageFailure, notOnDisk, reasonOf, withoutBase } from "./storage-failure.ts";

/** Queue key of saves whose session does not exist yet. */
const NEW_SESSION = "" as SessionId;

/** A change of a session, on disk or in memory. */
interface Writing<T> {
  readonly session: () => SessionId | undefined;
  readonly write: (disk: Store) => Promise<T>;
  readonly keep: (failure: WorkrailError, own: unknown) => Promise<T>;
}

/**
 * A store on disk, with memory as its fallback while the disk cannot be opened or written to.
 *
 * Meanwhile saves and pins are kept in memory, and a save rejects to say so. Loads and lists read memory and, if it is readable, the disk.
 * Operations on the whole store always need the disk.
 */
export class FallbackStore implements Workrail {
  readonly dataDir: string;
  readonly projectCheckpoints: ProjectCheckpoints;
  readonly #limits: Limits;
  readonly #standby: Standby;
  readonly #sessions: SessionResolver;
  /** Memory over the disk. */
  readonly #standIn: Store;
  /** Memory alone, for saves when the disk cannot be read either. */
  readonly #blindStandIn: Store;
  readonly #inOrder = new ProcessGate();
  readonly #writes = new Set<Promise<unknown>>();
  #closing: Promise<void> | undefined;

  /** @throws errors of opening, unless memory can stand in. */
  static async open(plan: StorePlan, memory: RetainedMemory = new RetainedMemory()): Promise<FallbackStore> {
    const { settings, adapters, project } = plan;
    const { digests = nodeDigests, ids = randomIds } = adapters;
    const sessions = new SessionResolver({ digests, ids, limits: settings.limits });
    const standby = new Standby({ ...plan, sessions }, memory);
    await standby.open();
    const standIn = async (below: () => Promise<Storage>, isBlind: boolean): Promise<Store> => {
      const parts = await wire(settings, { ...adapters, storage: () => overlayStorage(memory, below) }, sessions);
      const reason = (): string => (standby.failure === undefined ? "none" : reasonOf(standby.failure));
      return new Store(parts, project, { reason, holds: (id) => memory.holds(id), isBlind });
    };
    const nothing = openMemoryStorage();
    try {
      const stores = { onDisk: await standIn(() => standby.readable(), false), alone: await standIn(async () => nothing, true) };
      return new FallbackStore({ ...plan, sessions }, standby, stores);
    } catch (error) {
      await standby.close();
      throw error;
    }
  }

  private constructor(
    { settings, adapters, project, sessions }: StorePlan & { readonly sessions: SessionResolver },
    standby: Standby,
    stores: { readonly onDisk: Store; readonly alone: Store },
  ) {
    this.dataDir = settings.dataDir;
    this.#limits = settings.limits;
    const { tokens = tokenCounter(settings.tokenizer), digests = nodeDigests } = adapters;
    this.projectCheckpoints = new ProjectCheckpoints({ workrail: this, settings, tokens, digests, project });
    this.#standby = standby;
    this.#sessions = sessions;
    this.#standIn = stores.onDisk;
    this.#blindStandIn = stores.alone;
  }

  get durability(): Durability {
    return this.#standby.failure === undefined ? "disk" : "memory";
  }

  async saveCheckpoint(params: SaveCheckpointParams): Promise<SaveCheckpointResult> {
    checkParams(params, "saveCheckpoint");
    // Copies the state now: memory may have to keep it after the disk has failed.
    const state = parseGivenState(params, this.#limits);
    const own = { ...params, metadata: ownLabels(params.metadata) };
    const { sessionId, workflowId } = own;
    const session = (): SessionId | undefined => this.#sessions.whereTo(sessionId, workflowId, state.context);
    const save = (disk: Store): Promise<SaveCheckpointResult> => disk.saveOwned(own, state);
    return this.#writing(session, save, (failure, ours) =>
      this.#keep({ ...own, checkpointId: own.checkpointId ?? unsureId(ours) }, state, failure),
    );
  }

  async markCritical(given: MarkCriticalParams): Promise<MarkCriticalResult> {
    checkParams(given, "markCritical");
    const params = { ...given };
    return this.#writing(
      () => this.#sessions.forChange(params.sessionId),
      (disk) => disk.markCritical(params),
      () => this.#standIn.markCritical(params),
    );
  }

  async compressContext(params: CompressContextParams): Promise<ShapedContextResult> {
    checkParams(params, "compressContext");
    return this.#shaping(params, (store, own) => store.compressContext(own));
  }

  async prioritizeContext(params: PrioritizeContextParams): Promise<ShapedContextResult> {
    checkParams(params, "prioritizeContext");
    return this.#shaping(params, (store, own) => store.prioritizeContext(own));
  }

  /** Shapes a context. A given context is kept first; the handle to it may point to memory, and the answer then says so. */
  async #shaping<T extends ShapeContextParams>(
    params: T,
    shape: (store: Store, own: T) => Promise<ShapedContextResult>,
  ): Promise<ShapedContextResult> {
    if (params.context === undefined) return shape(this.#reading(), params);
    const own = { ...params, context: ownContext(params.context, this.#limits) };
    const session = (): SessionId | undefined => this.#sessions.forAside(own.sessionId);
    const onDisk = (disk: Store): Promise<ShapedContextResult> => shape(disk, own);
    return this.#writing(session, onDisk, async () => {
      try {
        return await shape(this.#standIn, own);
      } catch (error) {
        if (!isStorageFailure(error) || isFull(error)) throw error;
        return shape(this.#blindStandIn, own);
      }
    });
  }

  liveContext(params: LiveContextParams): LiveContext {
    return this.#standIn.liveContext(params, this);
  }

  async storeConversation(params: StoreConversationParams): Promise<StoreConversationResult> {
    return this.#standIn.storeConversation(params, this);
  }

  async loadCheckpoint(params: LoadCheckpointParams): Promise<LoadCheckpointResult> {
    return this.#reading().loadCheckpoint(params);
  }

  async viewCheckpoint(params: ViewCheckpointParams): Promise<ViewCheckpointResult> {
    return this.#reading().viewCheckpoint(params);
  }

  async viewBriefly(params: ViewCheckpointParams): Promise<BriefViewResult> {
    return this.#reading().viewBriefly(params);
  }

  async resumeWork(params?: ResumeParams): Promise<ResumeResult> {
    return this.#reading().resumeWork(params);
  }

  async handoff(params: HandoffParams): Promise<HandoffResult> {
    return this.#reading().handoff(params);
  }

  async listCheckpoints(params: { sessionId: string; limit?: number; offset?: number }): Promise<CheckpointMetadata[]> {
    return this.#reading().listCheckpoints(params);
  }

  async findCheckpoints(params?: FindCheckpointsParams): Promise<FindCheckpointsResult> {
    return this.#reading().findCheckpoints(params);
  }

  async resolveCheckpoint(reference: string, params?: ResolveCheckpointParams): Promise<ResolvedCheckpoint> {
    return this.#reading().resolveCheckpoint(reference, params);
  }

  async searchCheckpoints(params: SearchCheckpointsParams): Promise<SearchCheckpointsResult> {
    return this.#reading().searchCheckpoints(params);
  }

  /** Never falls back to memory: incoming saves are already durable in their files. */
  async takeIncoming(saves?: readonly IncomingSave[]): Promise<number> {
    return this.#standby.failure === undefined || saves !== undefined ? this.#standby.disk().takeIncoming(saves) : 0;
  }

  async finishIndex(options?: FinishIndexOptions): Promise<void> {
    return this.#reading().finishIndex(options);
  }

  async fitDescription<T extends object>(description: T): Promise<FittedFields<T>> {
    return this.#standIn.fitDescription(description);
  }

  async fitAnswer<T extends object>(frame: object, items: readonly T[]): Promise<T[]> {
    return this.#standIn.fitAnswer(frame, items);
  }

  async tokensOf(answer: object): Promise<number> {
    return this.#standIn.tokensOf(answer);
  }

  async rebuildCatalog(options?: RebuildOptions): Promise<RebuildReport> {
    return this.#standby.disk().rebuildCatalog(options);
  }

  async collectGarbage(): Promise<GarbageReport> {
    return this.#standby.disk().collectGarbage();
  }

  async verifyStore(options?: VerifyOptions): Promise<VerifyReport> {
    return this.#standby.disk().verifyStore(options);
  }

  async repairStore(options?: RepairOptions): Promise<RepairReport> {
    return this.#standby.disk().repairStore(options);
  }

  async cleanUp(params?: CleanUpParams): Promise<CleanUpReport> {
    return this.#standby.disk().cleanUp(params);
  }

  async deleteCheckpoint(params: { checkpointId: string; agentId?: string | undefined }): Promise<EraseResult> {
    checkParams(params, "deleteCheckpoint");
    const { checkpointId, agentId } = params;
    return this.erase({ checkpointIds: [checkpointId], agentId });
  }

  /** Erases from disk and memory. Checkpoints only in memory are dropped there. */
  async erase(given: EraseParams): Promise<EraseResult> {
    checkParams(given, "erase");
    const params = { ...given, checkpointIds: given.checkpointIds && [...given.checkpointIds] };
    if (await this.#standby.comeBack()) return this.#standby.disk().erase(params);
    return this.#standby.eraseKept(params);
  }

  async listTrash(params?: { sessionId?: string | undefined }): Promise<TrashedMetadata[]> {
    return this.#standby.disk().listTrash(params);
  }

  async restoreFromTrash(params: FromTrashParams): Promise<FromTrashResult> {
    return this.#standby.disk().restoreFromTrash(params);
  }

  async emptyTrash(params?: EmptyTrashParams): Promise<CleanUpReport> {
    return this.#standby.disk().emptyTrash(params);
  }

  async keepSession(sessionId: string, keep?: boolean): Promise<SessionMetadata> {
    return this.#standby.disk().keepSession(sessionId, keep);
  }

  async tagSession(params: TagSessionParams): Promise<SessionMetadata> {
    return this.#standby.disk().tagSession(params);
  }

  /** Fails when the disk cannot be read, because the answer has no field to say that sessions may be missing. */
  async listSessions(params?: ListSessionsParams): Promise<ListSessionsResult> {
    if (this.#standby.failure !== undefined) await this.#standby.readable();
    return this.#reading().listSessions(params);
  }

  async traceSession(params: TraceSessionParams): Promise<TraceSessionResult> {
    return this.#reading().traceSession(params);
  }

  async compareCheckpoints(params: CompareCheckpointsParams): Promise<CompareCheckpointsResult> {
    return this.#reading().compareCheckpoints(params);
  }

  async storeStats(params?: StoreStatsParams): Promise<StoreStats & LeftOut> {
    return this.#standby.forWholeStore((disk) => disk.storeStats(params));
  }

  async exportSession(sessionId: string, options?: ExportSessionOptions): Promise<ExportResult> {
    return (await this.#standby.diskWithAllOf(parseSessionId(sessionId))).exportSession(sessionId, options);
  }

  async *exportText(sessionId: string, options: ExportOptions = {}): AsyncGenerator<string, void, undefined> {
    yield* (await this.#standby.diskWithAllOf(parseSessionId(sessionId))).exportText(sessionId, options);
  }

  async exportAll(folder?: string, options?: ExportAllOptions): Promise<ExportAllResult & LeftOut> {
    return this.#standby.forWholeStore((disk) => disk.exportAll(folder, options));
  }

  async importFile(file: string, options?: ImportFileOptions): Promise<ImportFileResult> {
    return this.#standby.disk().importFile(file, options);
  }

  async importText(text: ImportedText, options?: ImportTextOptions): Promise<ImportTextResult> {
    return this.#standby.disk().importText(text, options);
  }

  async scanStore(params?: ScanStoreParams): Promise<ScanReport> {
    return this.#standby.disk().scanStore(params);
  }

  async auditLog(params?: AuditLogParams): Promise<AuditLogResult> {
    return this.#standby.disk().auditLog(params);
  }

  async *auditText(filter?: AuditLogFilter): AsyncGenerator<string, void, undefined> {
    yield* this.#standby.disk().auditText(filter);
  }

  async exportAuditLog(file: string, filter?: AuditLogFilter): Promise<WrittenFile> {
    return this.#standby.disk().exportAuditLog(file, filter);
  }

  async verifyAuditLog(params?: VerifyAuditLogParams): Promise<VerifyAuditLogResult> {
    return this.#standby.disk().verifyAuditLog(params);
  }

  async storeStatus(): Promise<StoreStatus> {
    const { failure } = this.#standby;
    if (failure === undefined) return this.#standby.disk().storeStatus();
    const status = await this.#statusMeanwhile();
    const warning = `Not all that was saved can be written to the disk (${reasonOf(failure)}): the rest is in memory only. ${failure.hint ?? ""}`;
    return { ...status, durability: "memory", warnings: [warning.trim(), ...status.warnings] };
  }

  /** Status while degraded; includes the disk if it is readable. */
  async #statusMeanwhile(): Promise<StoreStatus> {
    try {
      return await this.#standby.disk().storeStatus();
    } catch (error) {
      if (!isStorageFailure(error)) throw error;
      const status = await this.#blindStandIn.storeStatus();
      return { ...status, warnings: ["The disk cannot be read either: these figures do not include its content.", ...status.warnings] };
    }
  }

  async backup(directory: string, options?: BackupOptions): Promise<BackupResult & LeftOut> {
    return this.#standby.forWholeStore((disk) => disk.backup(directory, options));
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Finishes the calls made before. Runs every step even if one fails; the last step writes the memory to disk. */
  #close(): Promise<void> {
    return runAll([
      () => Promise.allSettled(this.#writes),
      () => this.#standIn.close(),
      () => this.#blindStandIn.close(),
      () => this.#standby.close(),
    ]);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #reading(): Store {
    return this.#standby.failure === undefined ? this.#standby.disk() : this.#standIn;
  }

  /**
   * Writes to disk if the disk is usable for the session, now or after a retry; otherwise, or when that fails, to memory.
   *
   * Writes to a session keep the order of the calls: a write after a failed one never reaches the disk first.
   */
  async #writing<T>(session: Writing<T>["session"], write: Writing<T>["write"], keep: Writing<T>["keep"]): Promise<T> {
    if (this.#closing !== undefined) throw closed();
    const writing = this.#inOrder.inOrder(session() ?? NEW_SESSION, this.#attempt({ session, write, keep }));
    this.#writes.add(writing);
    try {
      return await writing;
    } finally {
      this.#writes.delete(writing);
    }
  }

  /** Starts an attempt to reopen the disk, shared with concurrent callers. Returns the function to run when this call's turn comes. */
  #attempt<T>({ session, write, keep }: Writing<T>): () => Promise<T> {
    const coming = this.#standby.comeBack();
    return async () => {
      // The disk may have failed again during another call's turn.
      const isBack = (await coming) && (await this.#standby.comeBack());
      let own: unknown;
      if (isBack || this.#standby.isOpenTo(session())) {
        try {
          return await write(this.#standby.disk());
        } catch (error) {
          this.#standby.degrade(error);
          own = error;
        }
      }
      return this.#standby.whileKeeping((failure) => keep(failure, own));
    };
  }

  /** Keeps a checkpoint in memory and rejects to say so. Resolves normally when the checkpoint proves to be on disk already. */
  async #keep(params: SaveCheckpointParams, state: GivenState, failure: WorkrailError): Promise<SaveCheckpointResult> {
    const result = await this.#save(params, state).catch((error: unknown) => {
      if (!isFull(error)) throw error;
      throw notOnDisk(failure, this.dataDir, undefined);
    });
    if (result.durability === "disk") return result;
    const { checkpointId, sessionId } = result;
    throw notOnDisk(failure, this.dataDir, { checkpointId, sessionId });
  }

  async #save(params: SaveCheckpointParams, state: GivenState): Promise<SaveCheckpointResult> {
    try {
      return await this.#standIn.saveOwned(params, state);
    } catch (error) {
      if (!isStorageFailure(error) || isFull(error)) throw error;
      // The expected parent cannot be compared now. If the head differs when memory is written to disk, the checkpoint becomes a fork.
      const parentId = params.parentId ?? params.expectedParentId ?? undefined;
      return this.#blindStandIn.saveOwned({ ...params, parentId, expectedParentId: undefined }, state).catch((missing: unknown) => {
        // The base of a patch may be on the disk, which cannot be read.
        throw state.patch !== undefined && isNotFound(missing) ? withoutBase(error, this.dataDir) : missing;
      });
    }
  }
}

/** Returns the id of a checkpoint whose file may have reached the disk. Reusing the id lets the later write recognise it. */
function unsureId(failure: unknown): string | undefined {
  if (!isWorkrailError(failure)) return undefined;
  const { checkpointId } = failure.details;
  return typeof checkpointId === "string" ? checkpointId : undefined;
}

function isNotFound(error: unknown): boolean {
  return isWorkrailError(error) && (error.code === "SESSION_NOT_FOUND" || error.code === "CHECKPOINT_NOT_FOUND");
}

function isFull(error: unknown): boolean {
  return isWorkrailError(error) && error.details["reason"] === "memory-full";
}
