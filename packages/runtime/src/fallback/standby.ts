import { existsSync } from "node:fs";
import path from "node:path";
import { isWorkrailError, type Log, type SessionId, type Storage, WorkrailError } from "@workrail/core";
import { repeatUnnoticed, silentLog } from "../environment.ts";
import type { EraseParams, EraseResult } from "../erasing.ts";
import { erase } from "../facets/care.ts";
import { openStore, type StorePlan } from "../open-store.ts";
import type { Store } from "../store.ts";
import type { LeftOut } from "../workrail.ts";
import { eraseKept } from "./erase-kept.ts";
import { readFiles } from "./read-files.ts";
import type { RetainedMemory } from "./retained-memory.ts";
import { isStorageFailure, reasonOf } from "./storage-failure.ts";

/**
 * Interval of retries in the background, beside those before each save: about 30 seconds, randomised so that two processes that block each
 * other do not stay in step.
 */
const LEAST_RETRY_MS = 25_000;
const RETRY_RANGE_MS = 10_000;
const CHANGING = new Set(["locked", "in-use"]);

/**
 * Tracks whether the disk is usable, and brings it back into use.
 *
 * There are two states: on disk; and degraded, from the first failure to open or write until the disk holds everything that memory kept
 * meanwhile. A failure may concern one session only: sessions without data in memory use the disk even while the store is degraded.
 */
export class Standby {
  readonly #plan: StorePlan;
  readonly #memory: RetainedMemory;
  readonly #log: Log;
  #disk: Store | undefined;
  #files: Promise<Storage | undefined> | undefined;
  #failure: WorkrailError | undefined;
  #returning: Promise<boolean> | undefined;
  /** True when the last attempt wrote everything to disk except data that failed. */
  #wasTried = false;
  #stopRetrying: (() => void) | undefined;
  /** Number of saves being added to memory. */
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

  /** @throws as `degrade`. */
  async open(): Promise<void> {
    try {
      this.#disk = await openStore(this.#plan);
    } catch (error) {
      this.degrade(error);
    }
  }

  /** Returns the store on disk, writable or not. Throws why there is none. */
  disk(): Store {
    if (this.#disk !== undefined) return this.#disk;
    throw this.#failure;
  }

  /**
   * Returns the store on disk once it has all data of a session; otherwise data in memory would be left out silently. Throws why data is
   * missing.
   */
  async diskWithAllOf(session: SessionId): Promise<Store> {
    const isBack = await this.comeBack();
    if (!isBack && this.#failure !== undefined && this.#memory.holdsOf(session)) throw this.#failure;
    return this.disk();
  }

  /**
   * Runs `work` on the whole store after writing memory to disk as far as possible. The result says how much was left out. Throws why there
   * is no disk.
   */
  async forWholeStore<T extends object>(work: (disk: Store) => Promise<T>): Promise<T & LeftOut> {
    await this.comeBack();
    const { checkpoints } = this.#memory.size;
    const result = await work(this.disk());
    return checkpoints === 0 ? result : { ...result, inMemoryOnly: checkpoints };
  }

  /** Returns the readable storage on disk; for a store that cannot be opened, its files. Throws why nothing can be read. */
  async readable(): Promise<Storage> {
    const failure = this.#failure;
    if (this.#disk !== undefined || failure === undefined) return this.disk().storage;
    // Other processes are writing: a snapshot of the files would soon be out of date.
    if (CHANGING.has(reasonOf(failure))) throw failure;
    this.#files ??= readFiles(this.#plan).catch((error: unknown) => {
      if (isStorageFailure(error)) return undefined;
      throw error;
    });
    const files = await this.#files;
    if (files === undefined) throw failure;
    return files;
  }

  /** Switches to memory. Rethrows an error that memory cannot help with. */
  degrade(error: unknown): void {
    if (!isStorageFailure(error)) throw error;
    const isNew = this.#failure === undefined;
    this.#failure = error;
    if (!isNew) return;
    const { path, code } = error.details;
    const about = { reason: reasonOf(error), dataDir: this.#plan.settings.dataDir, path, code, hint: error.hint };
    this.#log.error("the store is not writable: saves are kept in memory only, until it is", about);
    const { repeat = repeatUnnoticed } = this.#plan.adapters;
    this.#stopRetrying = repeat(() => this.comeBack(), LEAST_RETRY_MS + Math.random() * RETRY_RANGE_MS);
  }

  /** Tells whether the disk is usable, after trying to bring it back. Concurrent callers share one attempt. */
  async comeBack(): Promise<boolean> {
    if (this.#failure === undefined) return true;
    if (this.#isClosed) return false;
    this.#returning ??= this.#tryToComeBack().finally(() => {
      this.#returning = undefined;
    });
    return this.#returning;
  }

  /** Tells whether a session, or a new one, can be written to although the store is degraded. Call right after an attempt. */
  isOpenTo(session: SessionId | undefined): boolean {
    // The sessions of saves still being added to memory are unknown.
    if (!this.#wasTried || this.#keeping > 0) return false;
    return session === undefined || !this.#memory.holdsOf(session);
  }

  /** Runs a write to memory. The disk is not used again before this data is written to it. */
  async whileKeeping<T>(keep: (failure: WorkrailError) => Promise<T>): Promise<T> {
    if (this.#failure === undefined) throw new WorkrailError("INTERNAL", "Memory must not replace a disk that is in use.");
    this.#keeping += 1;
    try {
      return await keep(this.#failure);
    } finally {
      this.#keeping -= 1;
    }
  }

  /** Erases the selected data from memory and disk. @throws why the disk, if it is needed, cannot. */
  async eraseKept(params: EraseParams): Promise<EraseResult> {
    // A running attempt may be writing the selected data, and no new one may start before memory has forgotten it.
    while (this.#returning !== undefined) await this.#returning;
    if (this.#failure === undefined) return erase(this.disk(), params);
    const erasing = eraseKept({ memory: this.#memory, disk: this.#disk, mustHave: () => this.disk() }, params);
    this.#returning = erasing.then(notBack, notBack).finally(() => {
      this.#returning = undefined;
    });
    return erasing;
  }

  /** Writes the memory to disk as far as possible, and logs what is lost. */
  async close(): Promise<void> {
    if (this.#hasMore()) {
      // Logged first: the process may be killed before a long attempt ends.
      this.#log.warn("closing with saves in memory only: they are written now, or lost", this.#memory.size);
      await this.comeBack();
    }
    this.#isClosed = true;
    this.#stopRetrying?.();
    // An attempt may be opening the disk right now.
    await this.#returning;
    if (this.#hasMore()) this.#log.error("the saves in memory could not be written, and are lost", this.#memory.size);
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
      this.#log.warn("the store is writable again, and has the saves from memory", { ...taken });
      return true;
    } catch (error) {
      this.#noteFailure(error);
      return false;
    }
  }

  /**
   * Tells whether the data directory was removed and can be created by reopening. A missing parent may be an unmounted disk, which comes
   * back.
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
    else this.#log.error("writing the saves in memory failed unexpectedly", { error });
  }

  #hasMore(): boolean {
    const { checkpoints, pins } = this.#memory.size;
    return this.#keeping + checkpoints + pins > 0;
  }
}

function notBack(): boolean {
  return false;
}
