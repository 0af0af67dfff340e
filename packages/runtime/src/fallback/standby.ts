import { existsSync } from "node:fs";
import path from "node:path";
import { isWorkrailError, type Log, type SessionId, type Storage, WorkrailError } from "@workrail/core";
import { repeatUnnoticed, silentLog } from "../environment.ts";
import type { EraseParams, EraseResult } from "../erasing.ts";
import { openStore, type StorePlan } from "../open-store.ts";
import type { Store } from "../store.ts";
import type { LeftOut } from "../workrail.ts";
import { eraseKept } from "./erase-kept.ts";
import { readFiles } from "./read-files.ts";
import type { RetainedMemory } from "./retained-memory.ts";
import { isStorageFailure, reasonOf } from "./storage-failure.ts";

/** How often to see whether the disk is back, besides before each save: some 30 seconds. Two processes that are in each other's way must not stay in step. */
const LEAST_RETRY_MS = 25_000;
const RETRY_RANGE_MS = 10_000;
const CHANGING = new Set(["locked", "in-use"]);

/**
 * Knows whether the disk can be used, and sees to it that it is used again. There are two states: on the disk; and
 * degraded, from the first failure to open or to write until the disk holds all that memory kept meanwhile. What one session
 * fails with may be its own trouble: others of which nothing is kept use the disk while the store is degraded.
 */
export class Standby {
  readonly #plan: StorePlan;
  readonly #memory: RetainedMemory;
  readonly #log: Log;
  #disk: Store | undefined;
  #files: Promise<Storage | undefined> | undefined;
  #failure: WorkrailError | undefined;
  #returning: Promise<boolean> | undefined;
  /** Whether the last attempt to come back left only what it tried and could not write. */
  #wasTried = false;
  #stopRetrying: (() => void) | undefined;
  /** Saves on their way into memory. */
  #keeping = 0;
  #isClosed = false;

  constructor(plan: StorePlan, memory: RetainedMemory) {
    this.#plan = plan;
    this.#memory = memory;
    this.#log = plan.adapters.log ?? silentLog;
  }

  /** Why the store is degraded; `undefined` while it is not. */
  get failure(): WorkrailError | undefined {
    return this.#failure;
  }

  /** @throws what `degrade` throws. */
  async open(): Promise<void> {
    try {
      this.#disk = await openStore(this.#plan);
    } catch (error) {
      this.degrade(error);
    }
  }

  /** The store on the disk, writable or not. Throws why there is none. */
  disk(): Store {
    if (this.#disk !== undefined) return this.#disk;
    throw this.#failure;
  }

  /** The same, once it has all of a session: what memory keeps of it would be left out, and nobody be told. Throws why it has not. */
  async diskWithAllOf(session: SessionId): Promise<Store> {
    const isBack = await this.comeBack();
    if (!isBack && this.#failure !== undefined && this.#memory.holdsOf(session)) throw this.#failure;
    return this.disk();
  }

  /**
   * Does what is for the whole store, once the disk has all that memory keeps, or as much of it as it takes, and says what it was done
   * without. Throws why there is no disk.
   */
  async forWholeStore<T extends object>(work: (disk: Store) => Promise<T>): Promise<T & LeftOut> {
    await this.comeBack();
    const { checkpoints } = this.#memory.size;
    const result = await work(this.disk());
    return checkpoints === 0 ? result : { ...result, inMemoryOnly: checkpoints };
  }

  /** What of the disk can be read: of a store that cannot be opened, its files. Throws why nothing can. */
  async readable(): Promise<Storage> {
    const failure = this.#failure;
    if (this.#disk !== undefined || failure === undefined) return this.disk().storage;
    // Others are writing to it: what is in the files now is soon not the latest any more.
    if (CHANGING.has(reasonOf(failure))) throw failure;
    this.#files ??= readFiles(this.#plan).catch((error: unknown) => {
      if (isStorageFailure(error)) return undefined;
      throw error;
    });
    const files = await this.#files;
    if (files === undefined) throw failure;
    return files;
  }

  /** From now on memory stands in. Throws the error again when that would not help. */
  degrade(error: unknown): void {
    if (!isStorageFailure(error)) throw error;
    const isNew = this.#failure === undefined;
    this.#failure = error;
    if (!isNew) return;
    const { path, code } = error.details;
    const about = { reason: reasonOf(error), dataDir: this.#plan.settings.dataDir, path, code, hint: error.hint };
    this.#log.error("the store cannot be written to: until it can, what is saved is kept in memory only", about);
    const { repeat = repeatUnnoticed } = this.#plan.adapters;
    this.#stopRetrying = repeat(() => this.comeBack(), LEAST_RETRY_MS + Math.random() * RETRY_RANGE_MS);
  }

  /** Whether the disk is, or by this attempt has come, into use. Those who ask together wait for one attempt. */
  async comeBack(): Promise<boolean> {
    if (this.#failure === undefined) return true;
    if (this.#isClosed) return false;
    this.#returning ??= this.#tryToComeBack().finally(() => {
      this.#returning = undefined;
    });
    return this.#returning;
  }

  /** Whether a session, or one that is yet to be made, can be written to although the store is degraded. To be asked right after an attempt. */
  isOpenTo(session: SessionId | undefined): boolean {
    // Which sessions those are for that are on their way is not known.
    if (!this.#wasTried || this.#keeping > 0) return false;
    return session === undefined || !this.#memory.holdsOf(session);
  }

  /** Runs what puts something into memory: the disk is not in use again before that is written to it. */
  async whileKeeping<T>(keep: (failure: WorkrailError) => Promise<T>): Promise<T> {
    if (this.#failure === undefined) throw new WorkrailError("INTERNAL", "Memory was to stand in for a disk that is in use.");
    this.#keeping += 1;
    try {
      return await keep(this.#failure);
    } finally {
      this.#keeping -= 1;
    }
  }

  /** Erases what memory keeps of what is named, and the rest. @throws why the disk, if it has to, cannot. */
  async eraseKept(params: EraseParams): Promise<EraseResult> {
    // An attempt to come back may be writing down what is named, and none may begin before it is forgotten.
    while (this.#returning !== undefined) await this.#returning;
    if (this.#failure === undefined) return this.disk().erase(params);
    const erasing = eraseKept({ memory: this.#memory, disk: this.#disk, mustHave: () => this.disk() }, params);
    this.#returning = erasing.then(notBack, notBack).finally(() => {
      this.#returning = undefined;
    });
    return erasing;
  }

  /** Writes what it can, and says what is lost. */
  async close(): Promise<void> {
    if (this.#hasMore()) {
      // Before it is tried: who waits for us to end may not wait for that long.
      this.#log.warn("closing with something in memory only: it is written now, or else lost", this.#memory.size);
      await this.comeBack();
    }
    this.#isClosed = true;
    this.#stopRetrying?.();
    // Somebody may just be opening the disk.
    await this.#returning;
    if (this.#hasMore()) this.#log.error("what was kept in memory could not be written, and is lost", this.#memory.size);
    await this.#disk?.close();
  }

  async #tryToComeBack(): Promise<boolean> {
    this.#wasTried = false;
    try {
      if (this.#isGone()) await this.#letGo();
      this.#disk ??= await openStore(this.#plan);
      this.#files = undefined;
      const { failure, ...taken } = await this.#disk.takeOver(this.#memory);
      if (taken.checkpoints > 0 && this.#plan.upkeep !== false) this.#disk.finishEarlierWork();
      this.#wasTried = true;
      if (failure !== undefined) this.#noteFailure(failure);
      if (this.#hasMore()) return false;
      this.#failure = undefined;
      this.#stopRetrying?.();
      this.#log.warn("the store can be written to again, and has what was kept in memory", { ...taken });
      return true;
    } catch (error) {
      this.#noteFailure(error);
      return false;
    }
  }

  /**
   * Whether the data directory was removed, and can be made again by opening the store anew. Where its parent is gone too it may be
   * a whole disk, which comes back.
   */
  #isGone(): boolean {
    const { adapters, settings } = this.#plan;
    if (this.#disk === undefined || adapters.storage !== undefined || this.#failure?.details["reason"] !== "missing") return false;
    return !existsSync(settings.dataDir) && existsSync(path.dirname(settings.dataDir));
  }

  async #letGo(): Promise<void> {
    const gone = this.#disk;
    this.#disk = undefined;
    await gone?.close();
  }

  #noteFailure(error: unknown): void {
    if (isWorkrailError(error)) this.#failure = error;
    else this.#log.error("writing down what is kept in memory failed unexpectedly", { error });
  }

  #hasMore(): boolean {
    const { checkpoints, pins } = this.#memory.size;
    return this.#keeping + checkpoints + pins > 0;
  }
}

function notBack(): boolean {
  return false;
}
