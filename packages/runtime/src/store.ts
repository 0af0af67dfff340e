import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { elapsedMs } from "@workrail/blob-files";
import {
  ALL,
  type CheckpointId,
  type CheckpointRecord,
  type GarbagePorts,
  GIT_STATE,
  gitStateToJson,
  isWorkrailError,
  type JsonObject,
  type DroppedPorts,
  type LoadPorts,
  otherProjectOf,
  otherProjectRefused,
  otherProjectWarning,
  parseSessionId,
  type RebuildOptions,
  type RebuildPorts,
  type RebuildReport,
  RecentHeads,
  RecentJson,
  RecentKeys,
  screenSecretsBy,
  type RemovalPorts,
  type RepairPorts,
  runAll,
  type SavePorts,
  type SessionId,
  sessionProjectOf,
  type Storage,
  WorkrailError,
  listErasures,
  findHead,
} from "@workrail/core";
import { checkChangeable, namedCatalog } from "@workrail/wrappers";
import { CallsUnderWay } from "./calls-under-way.ts";
import { ChangePulse } from "./changes/change-pulse.ts";
import { Compactor } from "./compactor.ts";
import type { Standing } from "./context-management-service.ts";
import { DiskRoom } from "./disk-room.ts";
import type { RetainedMemory } from "./fallback/retained-memory.ts";
import { isCatalogLoss } from "./fallback/storage-failure.ts";
import type { TakeOverResult } from "./fallback/take-over.ts";
import { GitReader } from "./git/read-git-state.ts";
import { removeOld } from "./hooks/forget-sessions.ts";
import { type IncomingSave, waitingIfReadable, waitingNames } from "./hooks/incoming-save.ts";
import { savingTo, takeIncoming, type TakeInPorts, saveIncomingNow } from "./hooks/take-incoming.ts";
import { Housekeeper } from "./housekeeper.ts";
import { type NamedScope, type Caller, type Confined, type Scope, scopeOf } from "./isolation.ts";
import { isUnknownSession, withLikelySessions } from "./likely-sessions.ts";
import { partsFor } from "./parts-for.ts";
import { ProjectRules, rulesOf } from "./project-rules.ts";
import { StoreSearch } from "./search/store-search.ts";
import { type CallerPlace, idsOf } from "./remote/caller-place.ts";
import { isWork, SessionResolver } from "./session-resolver.ts";
import type { Parts } from "./tokens.ts";
import type { Transfer } from "./transfer.ts";
import { VERSION } from "./version.ts";
import type { Workrail } from "./workrail.ts";

/** Modules loaded on demand: loading is slow, and only some calls need them. */
const caring = () => import("./on-demand/caring.ts");

/** Time for which a refused rebuild is not retried: the other process is assumed to be still there. */
const REFUSED_FOR_MS = 15_000;

/** Time before saves of hooks that could not be taken in are retried. New ones are tried at once. */
const AGAIN_MS = 60_000;

/** State of a store that stands in for the one on disk. */
export interface StandIn {
  /** The reason for the fallback, one of the reasons of `STORAGE_UNAVAILABLE`. */
  reason(): string;
  /** Tells whether a checkpoint is only in memory. */
  holds(id: CheckpointId): boolean;
  /** True when the disk cannot be read, so that an unknown parent may still exist. */
  readonly isBlind: boolean;
}

/**
 * Way in which a store runs an operation. Default: closing waits for it, and it is repeated after a lost catalog. `once`: not repeated. `alone`: the
 * operation does both itself, or needs neither. `stream`: an async iterable. `at once`: synchronous.
 */
export type Runs = "once" | "alone" | "stream" | "at once";

/** An operation with its arguments. */
export interface Call {
  readonly runs: Runs | undefined;
  on(store: Store): unknown;
}

/** Limits of a stand-in: its memory has its own limit. The store's limits apply when the checkpoints go to disk. */
const UNBOUNDED = { maxCheckpoints: ALL, maxAsides: ALL, maxAsideBytes: ALL, maxSessionBytes: ALL, maxTotalBytes: ALL } as const;

/** Relation of a store to another one. Default: none. */
interface StoreKind {
  readonly standIn?: StandIn | undefined;
  readonly of?: { readonly whole: Store; readonly caller: Confined } | undefined;
  /** The same store without the subject and the place of a caller. */
  readonly named?: { readonly by: Store; readonly caller: Omit<Caller, "projects"> } | undefined;
  /** False to leave the saves of hooks in the data directory to other stores. Default `true`. */
  readonly takesIncoming?: boolean;
}

/** Maximum number of callers' parts, each with its own index in memory. */
const MOST_PARTS = 32;

/** An open storage with all that its operations share: ports, tracked calls, recovery, isolation of projects and work in the background. */
export class Store {
  readonly parts: Parts;
  readonly project: string | undefined;
  readonly standIn: StandIn | undefined;
  readonly dataDir: string | undefined;
  readonly durability: Workrail["durability"];
  readonly isReadOnly: boolean;
  readonly savePorts: SavePorts;
  readonly loadPorts: LoadPorts & DroppedPorts;
  readonly rebuildPorts: RebuildPorts & RepairPorts & GarbagePorts;
  readonly erasingPorts: RemovalPorts;
  readonly rules: Pick<ProjectRules, "for" | "inFile">;
  /** The caller's repository. */
  readonly git: Pick<GitReader, "read">;
  /** True when the caller is on another machine, whose disk cannot be read. */
  readonly isElsewhere: boolean;
  /** Changes in the repository of a caller on another machine. */
  readonly drift: CallerPlace["drift"];
  /** Id of the next checkpoint, for a call that may be repeated. */
  readonly ownId: CheckpointId | undefined;
  readonly compactor: Compactor;
  readonly housekeeper: Housekeeper;
  readonly diskRoom: DiskRoom;
  readonly search: StoreSearch;
  readonly pulse: ChangePulse;
  /** The whole store, if this is a caller's part of it. */
  readonly whole: Store | undefined;
  readonly caller: Confined | undefined;
  /** The caller's name, proved by a token. */
  readonly subject: string | undefined;
  /** The store that this one was derived from for a caller, and shares tracked calls with. */
  readonly #root: Store | undefined;
  /** Parts of callers, by their projects; the last used at the end. */
  readonly #parts = new Map<string, Store>();
  readonly #calls: CallsUnderWay;
  readonly #takesIncoming: boolean;
  /** Saves of hooks that failed, and the time of the next attempt. */
  #notTakenIn: { readonly waiting: string; readonly until: number } | undefined;
  #refusal: { readonly error: unknown; readonly until: number } | undefined;
  #closing: Promise<void> | undefined;

  constructor(parts: Parts, project: string | undefined, { standIn, of, named, takesIncoming = true }: StoreKind = {}) {
    const whole = of?.whole ?? named?.by;
    const { settings, storage, sessions, accesses } = parts;
    const { limits } = settings;
    this.parts = parts;
    this.project = project;
    this.standIn = standIn;
    this.whole = of?.whole;
    this.#root = whole;
    this.caller = of?.caller;
    const place = named?.caller.place;
    this.subject = named?.caller.subject;
    this.isElsewhere = place !== undefined;
    this.drift = place?.drift;
    this.ownId = place?.callId === undefined ? undefined : parts.ids.checkpointId();
    this.#takesIncoming = takesIncoming;
    this.#calls = whole === undefined ? new CallsUnderWay() : whole.#calls;
    this.durability = storage.durability;
    this.dataDir = storage.durability === "disk" ? settings.dataDir : undefined;
    this.isReadOnly = storage.isReadOnly === true;
    this.rules = place === undefined ? (named?.by.rules ?? new ProjectRules(project, parts.log)) : rulesOf(place);
    this.git = place === undefined ? (named?.by.git ?? new GitReader(project)) : { read: async () => place.git };
    this.housekeeper = whole?.housekeeper ?? new Housekeeper(parts);
    this.diskRoom = whole?.diskRoom ?? new DiskRoom({ ...parts, makeRoom: (needed) => this.housekeeper.makeRoomOnDisk(needed) });
    // With a trash for pruned checkpoints, pruning runs after the save.
    const maxCheckpoints = settings.prunesToTrash ? ALL : limits.maxCheckpoints;
    this.savePorts = {
      ...parts,
      limits: standIn === undefined ? { ...limits, maxCheckpoints } : { ...limits, ...UNBOUNDED },
      writer: `workrail/${VERSION}`,
      recentKeys: whole?.savePorts.recentKeys ?? new RecentKeys(),
      recentJson: whole?.savePorts.recentJson ?? new RecentJson(),
      // Only where a read takes a round trip, and not for a caller's part of the store, which hides heads of other projects.
      recentHeads:
        named?.by.savePorts.recentHeads ?? (whole === undefined && parts.blobs.sharesTransaction === true ? new RecentHeads() : undefined),
      secrets: screenSecretsBy(parts.screening.screen),
      relieve: (failure, blobBytes) => this.diskRoom.relieve(failure, blobBytes),
    };
    this.loadPorts = {
      ...parts,
      limits,
      recentKeys: this.savePorts.recentKeys,
      onLoaded: (record) => {
        if (isWork(record.kind)) sessions.loaded(record.sessionId, record.workflowId);
        if (!this.isReadOnly) accesses.record(record, named?.caller.subject);
      },
    };
    this.erasingPorts = { ...parts, limits };
    this.rebuildPorts = { ...parts, limits, remains: storage.remains };
    this.compactor = whole?.compactor ?? new Compactor({ ...parts, limits }, parts.background, this.#calls);
    this.search = named?.by.search ?? new StoreSearch(parts, () => this.#calls.isAny, whole?.parts);
    this.pulse = whole?.pulse ?? new ChangePulse(parts, () => this.takeIncoming());
  }

  /** The storage, owned by this store. */
  get storage(): Storage {
    return this.parts.storage;
  }

  /** Returns the store as a caller may access it. It lives as long as the whole store. */
  partFor({ projects, subject, place }: Caller): Store {
    const part = projects === undefined ? this : this.#partOf({ projects });
    return subject === undefined && place === undefined ? part : part.#namedBy({ subject, place });
  }

  #namedBy({ subject, place }: Omit<Caller, "projects">): Store {
    const { whole, caller, standIn } = this;
    const of = whole === undefined || caller === undefined ? undefined : { whole, caller };
    const catalog = subject === undefined ? this.parts.catalog : namedCatalog(this.parts.catalog, subject);
    const parts = { ...this.parts, catalog, ...(place === undefined ? {} : this.#partsOfCall(place, subject)) };
    return new Store(parts, place === undefined ? this.project : this.#projectAt(place), {
      standIn,
      of,
      named: { by: this, caller: { subject, place } },
    });
  }

  /** Parts for one call from another machine: it continues no session of another call, and a repetition gets the same ids. */
  #partsOfCall({ callId }: CallerPlace, subject: string | undefined): Pick<Parts, "ids" | "sessions"> {
    const ids = callId === undefined ? this.parts.ids : idsOf(callId, subject, this.parts);
    const settings = { ...this.parts.settings, remembersSessions: false };
    const sessions = new SessionResolver({ digests: this.parts.sealing.digests, ids, settings, project: this.caller?.projects[0] });
    return { ids, sessions };
  }

  /** Returns the caller's own project if it is among the permitted ones, else the first of those. */
  #projectAt({ project }: CallerPlace): string | undefined {
    const projects = this.caller?.projects;
    return projects === undefined || (project !== undefined && projects.includes(project)) ? project : projects[0];
  }

  #partOf(caller: Confined): Store {
    const key = JSON.stringify(caller.projects);
    const part =
      this.#parts.get(key) ??
      new Store(partsFor(this.parts, caller), caller.projects[0], {
        standIn: this.standIn,
        of: { whole: this, caller },
      });
    this.#parts.delete(key);
    this.#parts.set(key, part);
    const [[oldest, unused] = []] = this.#parts;
    if (this.#parts.size > MOST_PARTS && oldest !== undefined) {
      this.#parts.delete(oldest);
      this.parts.background.run("end a search", async () => unused?.search.stop());
    }
    return part;
  }

  /** Runs an operation as `call.runs` says. @throws STORAGE_UNAVAILABLE with the reason `closed`. */
  run(call: Call): unknown {
    if (call.runs === "alone" || call.runs === "at once") return call.on(this);
    const work = (): Promise<unknown> => call.on(this) as Promise<unknown>;
    if (call.runs === undefined) return this.using(work);
    if (this.#isClosing) throw closed();
    return call.runs === "once" ? this.#calls.track(work) : call.on(this);
  }

  /** Runs work that closing waits for. If the database was damaged or removed meanwhile, recovers it and repeats the work once. */
  async using<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isClosing) throw closed();
    return this.#calls.track(async () => {
      try {
        return await work();
      } catch (error) {
        // Under strict isolation, other projects must not be mentioned.
        const alone = this.whole === undefined && this.parts.settings.isolation === "strict" ? this.project : undefined;
        if (isUnknownSession(error)) throw await withLikelySessions(this.parts, error, alone);
        if (!isCatalogLoss(error)) throw error;
        await this.recover();
        return work();
      }
    });
  }

  /** Returns the ports of a load. A peek does not count as a use. */
  portsOf({ isPeek }: { readonly isPeek?: boolean | undefined }): LoadPorts & DroppedPorts {
    return isPeek === true ? { ...this.loadPorts, onLoaded: () => {} } : this.loadPorts;
  }

  get #isClosing(): boolean {
    return (this.#root ?? this).#closing !== undefined;
  }

  /** Returns the durability of a checkpoint, or of saves and changes from now on. */
  standing(id?: CheckpointId): Standing {
    if (this.standIn === undefined) return { durability: this.durability };
    const isOnDisk = id !== undefined && !this.standIn.holds(id);
    return { durability: isOnDisk ? "disk" : "memory", degraded: true, degradedReason: this.standIn.reason() };
  }

  scopeOf(asked: NamedScope): Scope {
    return scopeOf({ isolation: this.parts.settings.isolation, own: this.project }, asked);
  }

  /** Returns the project to list: by default the store's own, unless isolation is off. `undefined`: all projects. */
  listedProject(asked: NamedScope): string | undefined {
    const { only, first } = this.scopeOf(asked);
    return only ?? first;
  }

  /** Returns the reader of a project's repository. For a caller on another machine it reads nothing here. */
  gitOf(project: string | undefined): Pick<GitReader, "read"> {
    return project === this.project ? this.git : new GitReader(this.isElsewhere ? undefined : project);
  }

  /** Returns the state of the project's repository, as checkpoints record it. */
  async surroundings(): Promise<JsonObject> {
    const state = await this.git.read();
    return state === undefined ? {} : { [GIT_STATE]: gitStateToJson(state, this.project) };
  }

  /** Returns a warning when the checkpoint's session belongs to another project. */
  async otherProject(record: CheckpointRecord, project: string | undefined = this.project): Promise<string | undefined> {
    // A caller's projects are all its own, and others are not mentioned.
    if (this.whole !== undefined || !isWork(record.kind) || sessionProjectOf(record) === project) return undefined;
    const owner = otherProjectOf(record, project, await this.surroundings());
    return owner === undefined ? undefined : otherProjectWarning(record.sessionId, owner, project);
  }

  /**
   * Refuses a session of another project that is named by its id, under strict isolation: the caller may mean a session of its own.
   *
   * @throws INVALID_INPUT
   */
  async refuseOtherProject(sessionId: string | undefined): Promise<void> {
    if (sessionId === undefined || this.whole !== undefined || this.parts.settings.isolation !== "strict") return;
    const session = parseSessionId(sessionId);
    const head = await this.parts.locking.shared(() => findHead(this.parts.catalog, session));
    if (head === undefined || !isWork(head.kind)) return;
    const owner = otherProjectOf(head, this.project, await this.surroundings());
    if (owner !== undefined) throw otherProjectRefused(session, owner, this.project);
  }

  /** @throws errors for a session that the caller of this part may not change. */
  async checkChangeable(sessionId: SessionId): Promise<void> {
    await checkChangeable(this.parts.catalog, sessionId);
  }

  /**
   * Saves, and makes room first in a full store if that suffices. The memory of a stand-in has its own limit.
   *
   * @throws STORAGE_QUOTA_EXCEEDED, which hides the store's size from a caller with a right to some projects.
   */
  async withRoom<T>(save: () => Promise<T>): Promise<T> {
    if (this.whole === undefined) return this.standIn === undefined ? this.housekeeper.withRoom(save) : save();
    try {
      return await this.whole.withRoom(save);
    } catch (error) {
      if (!isWorkrailError(error) || error.details["limit"] !== "maxTotalBytes") throw error;
      throw new WorkrailError("STORAGE_QUOTA_EXCEEDED", "The store is full.", {
        hint: "Ask an administrator of the store to remove old checkpoints.",
      });
    }
  }

  /** Requests compaction and indexing of sessions with added or erased checkpoints. Erasing expands deltas. */
  requestUpkeep(sessions: Iterable<SessionId>): void {
    if (this.whole !== undefined) return this.whole.requestUpkeep(sessions);
    let isAny = false;
    for (const sessionId of new Set(sessions)) {
      this.compactor.request(sessionId);
      isAny = true;
    }
    if (isAny) this.search.changed();
  }

  async transfer(): Promise<Transfer> {
    const { Transfer } = await import("./on-demand/transferring.ts");
    return new Transfer({ ...this.rebuildPorts, ...this.savePorts, isReadOnly: this.isReadOnly }, this.dataDir);
  }

  /** Rebuilds a lost catalog. */
  async recover(options: RebuildOptions = {}): Promise<void> {
    if (this.#root !== undefined) return this.#root.recover(options);
    if ((await this.parts.recovery.state()) !== "lost") return;
    const report = await this.#recoverUnlessRefused(options);
    if (report === undefined) return;
    const what = this.isReadOnly
      ? "the catalog is lost; a temporary one was built from the files"
      : "the catalog was lost or damaged, and has been rebuilt from the files";
    this.parts.log.warn(what, { ...report });
  }

  /**
   * Rebuilds the catalog. Each attempt waits for other processes to close the store. After a refusal, calls fail at once for
   * `REFUSED_FOR_MS`.
   */
  async #recoverUnlessRefused(options: RebuildOptions): Promise<RebuildReport | undefined> {
    if (this.#refusal !== undefined && elapsedMs() < this.#refusal.until) throw this.#refusal.error;
    try {
      return await (await caring()).recoverCatalog(this.rebuildPorts, options);
    } catch (error) {
      if (isWorkrailError(error) && error.code === "STORE_IN_USE") this.#refusal = { error, until: elapsedMs() + REFUSED_FOR_MS };
      throw error;
    }
  }

  /** Examines the catalog. Repairs damage, or rebuilds the catalog. */
  async examineCatalog({ isDue = false }: { readonly isDue?: boolean } = {}): Promise<void> {
    await this.parts.recovery.state({ deep: isDue ? "always" : "ifDue" });
    await this.recover();
  }

  /**
   * Finishes erasures that an earlier process decided. An erasure that cannot be finished now, for lack of room or because others read the
   * store, stays on the list, and the log says why.
   */
  async finishErasures(): Promise<void> {
    if (this.isReadOnly || !(await this.#hasErasures())) return;
    await (await caring()).finishErasures(this.erasingPorts);
  }

  /** Tells whether erasures are unfinished. Damage that hides the list is handled by the next read of the catalog. */
  async #hasErasures(): Promise<boolean> {
    try {
      return (await listErasures(this.parts.catalog)).length > 0;
    } catch (error) {
      if (!isWorkrailError(error) || error.code === "INTERNAL") throw error;
      this.parts.log.warn("unfinished erasures could not be listed", { error });
      return false;
    }
  }

  /** Takes in saves of hooks: those given, or else those that wait in files. See `Workrail.takeIncoming`. */
  async takeIncoming(saves?: readonly IncomingSave[]): Promise<number> {
    // The saves are attributed to the hooks, not to the caller.
    if (this.#root !== undefined) return this.#root.takeIncoming(saves);
    if (saves !== undefined) return this.using(async () => this.#tookIn(await saveIncomingNow(this.#takeInPorts(), saves)));
    const { dataDir } = this;
    if (!this.#takesIncoming || this.isReadOnly || dataDir === undefined || this.standIn !== undefined) return 0;
    try {
      const waiting = waitingNames(dataDir);
      if (waiting === "" || (waiting === this.#notTakenIn?.waiting && elapsedMs() < this.#notTakenIn.until)) return 0;
      this.#notTakenIn = undefined;
      return await this.using(async () => this.#tookIn((await takeIncoming(savingTo(this.#takeInPorts()), dataDir)).sessions));
    } catch (error) {
      this.#notTakenIn = { waiting: waitingIfReadable(dataDir), until: elapsedMs() + AGAIN_MS };
      this.parts.log.warn("saves of hooks could not be taken in now", { error });
      return 0;
    }
  }

  #takeInPorts(): TakeInPorts {
    return { ...this.loadPorts, ...this.savePorts };
  }

  #tookIn(sessions: readonly SessionId[]): number {
    this.requestUpkeep(sessions);
    return sessions.length;
  }

  /** Prepares the process for its first search. */
  async warmUp(): Promise<void> {
    if (!this.isReadOnly) await this.search.warmUp();
  }

  /** Runs maintenance in the background, such as removals and erasures that an earlier process committed but did not carry out. */
  finishEarlierWork(): void {
    if (this.isReadOnly) return;
    const { background, clock } = this.parts;
    // The caller that opens a store usually has a request: let its answer go first.
    background.run("yield to the first answer", async () => {
      await yieldToEventLoop();
      await this.#calls.giveWay();
    });
    background.run("finish removals", async () => {
      const { finishErasures, finishRemovals } = await caring();
      await finishRemovals(this.parts);
      // Erasures that another process started after this one opened the store.
      await finishErasures(this.erasingPorts);
    });
    background.run("examine the catalog", () => this.examineCatalog());
    background.run("remove leftovers of exports", async () => (await this.transfer()).removeLeftovers());
    const { dataDir } = this;
    if (dataDir !== undefined) background.run("remove old files of hooks", async () => removeOld(dataDir, clock));
    this.compactor.catchUp();
    this.search.changed();
    this.diskRoom.watch();
    this.housekeeper.start();
  }

  /** Writes the data of a memory fallback to this store. Rebuilds a catalog that was lost meanwhile. */
  async takeOver(memory: RetainedMemory): Promise<TakeOverResult> {
    const { takeOver, together } = await import("./fallback/take-over.ts");
    const take = (): Promise<TakeOverResult> => this.using(() => takeOver(this.#takeInPorts(), memory));
    const taken = await take();
    if (!isCatalogLoss(taken.failure)) return taken;
    await this.recover();
    return together(taken, await take());
  }

  close(): Promise<void> {
    this.#closing ??= runAll([
      () => this.pulse.stop(),
      () => this.#calls.end(),
      () => Promise.all([this, ...this.#parts.values()].map(({ search }) => search.stop())),
      () => this.compactor.stop(),
      () => this.housekeeper.stop(),
      () => this.parts.accesses.flush(),
      () => this.parts.background.idle(),
      () => this.parts.storage.close(),
    ]);
    return this.#closing;
  }
}

export function closed(): WorkrailError {
  return new WorkrailError("STORAGE_UNAVAILABLE", "The store is closed.", { details: { reason: "closed" }, hint: "Open it again." });
}
