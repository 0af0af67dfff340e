import {
  type Durability,
  isWorkrailError,
  ownContext,
  parseSessionId,
  ProcessLocking,
  runAll,
  type SessionId,
  type Storage,
  type WorkrailError,
} from "@workrail/core";
import { openMemoryStorage } from "@workrail/memory";
import { refuseChosenId } from "../admitted.ts";
import { wire } from "../container.ts";
import type {
  CompressContextParams,
  MarkCriticalParams,
  MarkCriticalResult,
  PrioritizeContextParams,
  SaveCheckpointParams,
  SaveCheckpointResult,
  ShapeContextParams,
  ShapedContextResult,
} from "../context-management-service.ts";
import { nodeDigests, randomIds } from "../environment.ts";
import type { EraseParams, EraseResult } from "../erasing.ts";
import { type Route, type RoutedCall, workrailOver } from "../facade.ts";
import { erase, statusOf } from "../facets/care.ts";
import { markCritical } from "../facets/checkpoints.ts";
import type { FallbackMethod } from "../facets/operation.ts";
import { type GivenSave, givenSave, save } from "../facets/save.ts";
import { compressContext, prioritizeContext } from "../facets/views.ts";
import type { IncomingSave } from "../hooks/incoming-save.ts";
import type { Caller } from "../isolation.ts";
import type { StorePlan } from "../open-store.ts";
import type { StoreStatus } from "../reports/store-status.ts";
import { SessionResolver } from "../session-resolver.ts";
import { closed, Store } from "../store.ts";
import type { Operations, Workrail } from "../workrail.ts";
import { standInStorage } from "./stand-in-storage.ts";
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

/** The stores that stand in for the disk. */
interface StandIns {
  /** Memory over the disk. */
  readonly overDisk: Store;
  /** Memory alone, for saves when the disk cannot be read either. */
  readonly blind: Store;
  readonly sessions: SessionResolver;
}

/** Opens a store with memory as its fallback. @throws errors of opening, unless memory can stand in. */
export async function openWithFallback(plan: StorePlan, memory: RetainedMemory = new RetainedMemory()): Promise<Workrail> {
  const { settings, adapters, project } = plan;
  const { digests = nodeDigests, ids = randomIds } = adapters;
  const sessions = new SessionResolver({ digests, ids, settings });
  const standby = new Standby({ ...plan, sessions }, memory);
  await standby.open();
  const standIn = async (below: () => Promise<Storage>, isBlind: boolean): Promise<Store> => {
    const parts = await wire(settings, { ...adapters, storage: () => standInStorage(memory, below) }, sessions);
    const reason = (): string => (standby.failure === undefined ? "none" : reasonOf(standby.failure));
    return new Store(parts, project, { standIn: { reason, holds: (id) => memory.holds(id), isBlind } });
  };
  const nothing = openMemoryStorage();
  try {
    const overDisk = await standIn(() => standby.readable(), false);
    return workrailOver(new Fallback(standby, { overDisk, blind: await standIn(async () => nothing, true), sessions }));
  } catch (error) {
    await standby.close();
    throw error;
  }
}

/**
 * Runs calls on disk, or in memory while the disk cannot be opened or written to.
 *
 * Meanwhile saves and pins are kept in memory, and a save rejects to report that. Loads and lists read memory and, if it is readable, the disk.
 * Operations on the whole store always need the disk.
 */
class Fallback implements Route, Pick<Operations, FallbackMethod> {
  readonly parts: Store["parts"];
  readonly project: string | undefined;
  readonly dataDir: string;
  readonly isReadOnly = false;
  readonly #standby: Standby;
  readonly #standIns: StandIns;
  readonly #inOrder: ProcessLocking;
  readonly #writes: Set<Promise<unknown>>;
  /** The fallback of the whole store, when this one is for a caller with a right to some projects. */
  readonly #whole: Fallback | undefined;
  readonly #caller: Caller | undefined;
  #closing: Promise<void> | undefined;

  constructor(standby: Standby, standIns: StandIns, of?: { readonly whole: Fallback; readonly caller: Caller }) {
    this.#whole = of?.whole;
    this.#caller = of?.caller;
    this.#inOrder = of === undefined ? new ProcessLocking() : of.whole.#inOrder;
    this.#writes = of === undefined ? new Set() : of.whole.#writes;
    this.parts = this.#own(standIns.overDisk).parts;
    this.project = this.#own(standIns.overDisk).project;
    this.dataDir = this.parts.settings.dataDir;
    this.#standby = standby;
    this.#standIns = standIns;
  }

  partFor(caller: Caller): Fallback {
    return new Fallback(this.#standby, this.#standIns, { whole: this, caller });
  }

  /** Returns the caller's part of a store. */
  #own(store: Store): Store {
    return this.#caller === undefined ? store : store.partFor(this.#caller);
  }

  get #isClosing(): boolean {
    return (this.#whole ?? this).#closing !== undefined;
  }

  get durability(): Durability {
    return this.#standby.failure === undefined ? "disk" : "memory";
  }

  run(call: RoutedCall): unknown {
    switch (call.needs) {
      case "read":
        return this.#reading().run(call);
      case "readable disk":
        return this.#standby.failure === undefined
          ? this.#reading().run(call)
          : this.#standby.readable().then(() => this.#reading().run(call));
      case "disk":
        return this.#disk().run(call);
      case "whole session":
        return this.#standby.diskWithAllOf(parseSessionId(call.args[0] as string)).then((disk) => this.#own(disk).run(call));
      case "whole store":
        // A caller with some projects only gets no number of checkpoints in memory: it would count the work of others.
        return this.#caller?.projects === undefined
          ? this.#standby.forWholeStore((disk) => this.#own(disk).run(call) as Promise<object>)
          : this.#standby.forWholeStore(async () => ({})).then(() => this.#disk().run(call));
      case "own way":
        return (this[call.name as FallbackMethod] as (...args: readonly unknown[]) => unknown)(...call.args);
    }
  }

  async saveCheckpoint(params: SaveCheckpointParams): Promise<SaveCheckpointResult> {
    if (this.#caller?.projects !== undefined) refuseChosenId(params);
    // Copies the state now: memory may have to keep it after the disk has failed.
    const given = givenSave(params, this.parts.settings.limits);
    const own = { ...params };
    const { sessionId, workflowId } = own;
    return this.#writing({
      session: () => this.#standIns.sessions.whereTo(sessionId, workflowId, given.state.context),
      write: (disk) => save(this.#own(disk), own, given),
      keep: (failure, ours) => this.#keep({ ...own, checkpointId: own.checkpointId ?? unsureId(ours) }, given, failure),
    });
  }

  async markCritical(given: MarkCriticalParams): Promise<MarkCriticalResult> {
    const params = { ...given };
    return this.#writing({
      session: () => this.#standIns.sessions.forChange(params.sessionId),
      write: (disk) => markCritical(this.#own(disk), params),
      keep: () => markCritical(this.#overDisk(), params),
    });
  }

  compressContext(params: CompressContextParams): Promise<ShapedContextResult> {
    return this.#shaping(params, compressContext);
  }

  prioritizeContext(params: PrioritizeContextParams): Promise<ShapedContextResult> {
    return this.#shaping(params, prioritizeContext);
  }

  /** Erases from disk and memory. Checkpoints only in memory are dropped there. */
  async erase(given: EraseParams): Promise<EraseResult> {
    const params = { ...given, checkpointIds: given.checkpointIds && [...given.checkpointIds] };
    if (await this.#standby.comeBack()) return erase(this.#disk(), params);
    // Chosen in the caller's part: what is not there is not found.
    if (this.#caller?.projects !== undefined) await erase(this.#overDisk(), { ...params, dryRun: true });
    return this.#standby.eraseKept(params);
  }

  async deleteCheckpoint({ checkpointId, agentId }: Parameters<Operations["deleteCheckpoint"]>[0]): Promise<EraseResult> {
    return this.erase({ checkpointIds: [checkpointId], agentId });
  }

  /** Never falls back to memory: incoming saves are already durable in their files. */
  async takeIncoming(saves?: readonly IncomingSave[]): Promise<number> {
    return this.#standby.failure === undefined || saves !== undefined ? this.#standby.disk().takeIncoming(saves) : 0;
  }

  async storeStatus(): Promise<StoreStatus> {
    const { failure } = this.#standby;
    if (failure === undefined) return statusOf(this.#disk());
    const status = await this.#statusMeanwhile();
    const warning = `The disk is not writable (${reasonOf(failure)}): some saves are in memory only. ${failure.hint ?? ""}`;
    return { ...status, durability: "memory", warnings: [warning.trim(), ...status.warnings] };
  }

  /** Status while degraded; includes the disk if it is readable. */
  async #statusMeanwhile(): Promise<StoreStatus> {
    try {
      return await statusOf(this.#disk());
    } catch (error) {
      if (!isStorageFailure(error)) throw error;
      const status = await statusOf(this.#own(this.#standIns.blind));
      return { ...status, warnings: ["The disk cannot be read either: these figures exclude its content.", ...status.warnings] };
    }
  }

  close(): Promise<void> {
    // Finishes the calls made before. Runs every step even if one fails; the last step writes the memory to disk.
    this.#closing ??= runAll([
      () => Promise.allSettled(this.#writes),
      () => this.#standIns.overDisk.close(),
      () => this.#standIns.blind.close(),
      () => this.#standby.close(),
    ]);
    return this.#closing;
  }

  #reading(): Store {
    return this.#standby.failure === undefined ? this.#disk() : this.#overDisk();
  }

  #disk(): Store {
    return this.#own(this.#standby.disk());
  }

  #overDisk(): Store {
    return this.#own(this.#standIns.overDisk);
  }

  /** Shapes a context. A given context is kept first; the handle to it may point to memory, and the answer then says so. */
  async #shaping<T extends ShapeContextParams>(
    params: T,
    shape: (store: Store, own: T) => Promise<ShapedContextResult>,
  ): Promise<ShapedContextResult> {
    if (params.context === undefined) return shape(this.#reading(), params);
    const own = { ...params, context: ownContext(params.context, this.parts.settings.limits) };
    return this.#writing({
      session: () => this.#standIns.sessions.forAside(own.sessionId),
      write: (disk) => shape(this.#own(disk), own),
      keep: async () => {
        try {
          return await shape(this.#overDisk(), own);
        } catch (error) {
          if (!isStorageFailure(error) || isFull(error)) throw error;
          return shape(this.#own(this.#standIns.blind), own);
        }
      },
    });
  }

  /**
   * Writes to disk if the disk is usable for the session, now or after a retry; otherwise, or when that fails, to memory.
   *
   * Writes to a session keep the order of the calls: a write after a failed one never reaches the disk first.
   */
  async #writing<T>({ session, write, keep }: Writing<T>): Promise<T> {
    if (this.#isClosing) throw closed();
    const queue = session() ?? NEW_SESSION;
    // An attempt to reopen the disk starts now, and is shared with concurrent callers.
    const coming = this.#standby.comeBack();
    const writing = this.#inOrder.inOrder(queue, async () => {
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
    });
    this.#writes.add(writing);
    try {
      return await writing;
    } finally {
      this.#writes.delete(writing);
    }
  }

  /** Keeps a checkpoint in memory and rejects to say so. Resolves normally when the checkpoint proves to be on disk already. */
  async #keep(params: SaveCheckpointParams, given: GivenSave, failure: WorkrailError): Promise<SaveCheckpointResult> {
    const result = await this.#save(params, given).catch((error: unknown) => {
      if (!isFull(error)) throw error;
      throw notOnDisk(failure, this.dataDir, undefined);
    });
    if (result.durability === "disk") return result;
    const { checkpointId, sessionId } = result;
    throw notOnDisk(failure, this.dataDir, { checkpointId, sessionId });
  }

  async #save(params: SaveCheckpointParams, given: GivenSave): Promise<SaveCheckpointResult> {
    try {
      return await save(this.#overDisk(), params, given);
    } catch (error) {
      if (!isStorageFailure(error) || isFull(error)) throw error;
      // The expected parent cannot be compared now. If the head differs when memory is written to disk, the checkpoint becomes a fork.
      const parentId = params.parentId === undefined ? (params.expectedParentId ?? undefined) : params.parentId;
      return save(this.#own(this.#standIns.blind), { ...params, parentId, expectedParentId: undefined }, given).catch(
        (missing: unknown) => {
          // The base of a patch may be on the disk, which cannot be read.
          throw given.state.patch !== undefined && isNotFound(missing) ? withoutBase(error, this.dataDir) : missing;
        },
      );
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
