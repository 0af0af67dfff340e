import { type BlobRef, type CheckpointId, type EraseInput, isWorkrailError, KEEP_TAG, type SessionId } from "@workrail/core";
import { SequentialIds, SteppingClock } from "../builders.ts";
import { expect } from "vitest";
import type { Chance } from "../chance.ts";
import { type FaultPlan, Faults, type StorageHarness } from "../harness.ts";
import type { OrderedParts } from "../processes/order.ts";
import { OtherProcess } from "../processes/other-process.ts";
import { tally } from "../tally.ts";
import { Workbench } from "../workbench.ts";
import { holdingsOf, lookAt } from "./look-at-store.ts";
import { ModelStore, type WholeSave } from "./model-store.ts";
import { type Outcome, outcomeOf } from "./outcome.ts";
import { storageInUse, type StorageInUse } from "../storage-in-use.ts";

const MAX_CHECKPOINTS = 4;
/** Number of checkpoints above which removals are preferred, because the whole store is read again and again. */
const MANY = 25;
const LOOK_EVERY = 5;
const ONE_IN_FAULTY = 6;
const MAX_FAULT_AT = 25;
const SESSIONS = ["one", "Two", "two"] as SessionId[];
const FILLER = "as it was before ".repeat(60);
const SECOND_MS = 1_000;
const DAY_MS = 24 * 60 * 60 * SECOND_MS;
const YEARS_END = new Date("2027-12-31T23:59:58.000Z");

/** Operations and their relative frequencies. */
const WEIGHTS = {
  save: 36,
  "save while another tends the store": 4,
  load: 12,
  pin: 6,
  tag: 4,
  shield: 6,
  trash: 6,
  restore: 5,
  delete: 4,
  "delete from the trash": 3,
  erase: 4,
  "erase a session": 1,
  "decide an erasure": 3,
  "finish erasures": 2,
  compact: 8,
  "collect garbage": 3,
  "hold removals": 1,
  repair: 2,
  reopen: 2,
  rebuild: 2,
  "lose the catalog": 1,
  "open another": 2,
  "set the clock": 2,
} as const;

type Name = keyof typeof WEIGHTS;

/** Operations without faults: they change the open stores, or conditions that other operations rely on. */
const WITHOUT_FAULTS: ReadonlySet<Name> = new Set([
  "save while another tends the store",
  "hold removals",
  "reopen",
  "lose the catalog",
  "open another",
  "set the clock",
]);

const CRASH = { kind: "crashes", code: "EIO", persistent: true } as const;
const FAULTS: readonly Pick<FaultPlan, "kind" | "code" | "persistent">[] = [
  CRASH,
  CRASH,
  { kind: "fails", code: "EIO", persistent: false },
  { kind: "fails", code: "ENOSPC", persistent: true },
  { kind: "fails-after", code: "EIO", persistent: false },
  { kind: "tears", code: "ENOSPC", persistent: false },
];

/** An opener of the store, in this process or in another one. */
interface Opened {
  readonly storage: StorageInUse;
  readonly bench: OrderedParts["bench"];
  readonly other?: OtherProcess;
}

/** Applies an operation to a model and returns the possible models; none when the model does not allow the observed result. */
type Step = (model: ModelStore) => ModelStore | undefined | readonly ModelStore[];

/** Result of an operation. A failed operation may have happened all the same. */
interface Done {
  readonly happened: "yes" | "perhaps";
  readonly step: Step;
}

/**
 * Runs random operations on a store, some with a fault, and keeps one model for each possible outcome of the failed
 * operations. All models contain what was acknowledged.
 */
export class RandomHistory {
  readonly #harness: StorageHarness;
  readonly #chance: Chance;
  readonly #place: string;
  readonly #faults = new Faults();
  readonly #clock = new SteppingClock();
  readonly #newIds = new SequentialIds();
  readonly #ids: CheckpointId[] = [];
  #fault: FaultPlan | undefined;
  #opened: readonly Opened[] = [];
  #models: readonly ModelStore[] = [new ModelStore(MAX_CHECKPOINTS)];
  /** True after a failure, when files may contain changes that were never committed. */
  #isUntidy = false;
  readonly #files = new Set<BlobRef>();

  static async play(harness: StorageHarness, chance: Chance, operations: number): Promise<void> {
    const history = new RandomHistory(harness, chance, await harness.create());
    try {
      await history.#open();
      for (let number = 1; number <= operations; number++) await history.#play(number);
    } finally {
      await history.#close();
      await harness.destroy(history.#place);
    }
  }

  private constructor(harness: StorageHarness, chance: Chance, place: string) {
    this.#harness = harness;
    this.#chance = chance;
    this.#place = place;
  }

  async #play(number: number): Promise<void> {
    const name = this.#pick();
    let under = "";
    try {
      if (name === "rebuild" || name === "lose the catalog") await this.#tidy();
      this.#fault = this.#someFault(name);
      if (this.#fault !== undefined) under = ` with ${this.#fault.code} (${this.#fault.kind}) at file operation ${this.#fault.at}`;
      const happened = await this.#do(name);
      tally({ tries: 1, acknowledged: happened === "yes" ? 1 : 0 });
      if (happened === "perhaps" || number % LOOK_EVERY === 0) await this.#look();
    } catch (error) {
      throw new Error(`At operation ${number}, ${name}${under}: ${error instanceof Error ? error.message : String(error)}`, {
        cause: error,
      });
    }
  }

  async #do(name: Name): Promise<Done["happened"]> {
    this.#arm();
    const { happened, step } = await this.#operations[name]();
    const after = this.#models.flatMap((model) => step(model.copy()) ?? []);
    if (happened === "yes" && after.length === 0) throw new Error("No model expects the result.");
    this.#models = happened === "yes" ? after : [...this.#models, ...after];
    await this.#recover();
    return happened;
  }

  #arm(): void {
    if (this.#fault === undefined) return;
    this.#faults.arm(this.#fault);
    for (const { other } of this.#opened) other?.arm(this.#fault);
  }

  /** True when the fault struck the current operation. */
  get #struck(): boolean {
    return this.#fault !== undefined && (this.#faults.struck || this.#opened.some(({ other }) => other?.struck === true));
  }

  /** Ends the fault and recovers the store. */
  async #recover(): Promise<void> {
    if (this.#fault === undefined) return;
    const isHere = this.#faults.struck;
    await this.#idle();
    const struck = this.#struck;
    const { kind } = this.#fault;
    this.#fault = undefined;
    this.#faults.disarm();
    for (const { other } of this.#opened) other?.arm(undefined);
    await this.#leaveTheDead();
    if (!struck) return;
    this.#isUntidy = true;
    if (kind === "crashes" && isHere) await this.#reopen();
    if (!(await this.#first.storage.recovery.needsRebuild())) return;
    await this.#reopen();
    await this.#lookAtFiles();
    await this.#rebuild();
    this.#models = this.#models.flatMap(this.#rebuilt);
  }

  async #idle(): Promise<void> {
    for (const { bench, other } of this.#opened) if (other?.isGone !== true) await bench.idle();
  }

  async #leaveTheDead(): Promise<void> {
    const dead = this.#opened.filter(({ other }) => other?.isGone === true);
    this.#opened = this.#opened.filter((each) => !dead.includes(each));
    for (const { other } of dead) await other?.close();
  }

  /** Reads the whole store and drops the models that do not agree with it. */
  async #look(): Promise<void> {
    await this.#idle();
    const known = { sessions: SESSIONS, ids: this.#ids };
    const found = await lookAt(this.#any.storage, known);
    const agreeing = this.#models.filter((model) => JSON.stringify(holdingsOf(model, known)) === JSON.stringify(found));
    if (agreeing.length === 0) expect(found).toEqual(holdingsOf(this.#models[0] as ModelStore, known));
    this.#models = [...new Map(agreeing.map((each) => [each.fingerprint(), each])).values()];
    await this.#lookForErased();
  }

  /**
   * Makes the files agree with the catalog before a rebuild. A failed operation may have changed files that a rebuild then
   * uses; other tests cover that case.
   */
  async #tidy(): Promise<void> {
    await this.#look();
    await this.#reopen();
    const { bench, storage } = this.#first;
    if (this.#isUntidy) {
      await bench.collectGarbage();
      for (const sessionId of SESSIONS) await storage.catalog.commit({ pins: { sessionId, pin: [], release: [] }, audit: [] });
      this.#isUntidy = false;
    }
    await this.#lookAtFiles();
  }

  readonly #operations: Readonly<Record<Name, () => Promise<Done>>> = {
    save: () => this.#save(),
    "save while another tends the store": () => this.#saveMeanwhile(),
    load: () => (this.#chance.below(2) === 0 ? this.#loadHead() : this.#loadById()),
    pin: () => this.#pin(),
    tag: () => this.#tag(),
    shield: () => this.#shield(),
    trash: () => this.#move("live", "trash"),
    restore: () => this.#move("trash", "live"),
    delete: () => this.#move("live", "nowhere"),
    "delete from the trash": () => this.#move("trash", "nowhere"),
    erase: () => this.#erase(),
    "erase a session": () => this.#eraseSession(),
    "decide an erasure": () => this.#move(this.#chance.below(2) === 0 ? "live" : "trash", "nowhere", true),
    "finish erasures": () => this.#finishErasures(),
    compact: () => this.#tend((bench) => bench.compact(this.#someSession())),
    "collect garbage": () => this.#tend((bench) => bench.collectGarbage()),
    "hold removals": () => this.#hold(),
    repair: () => this.#repair(),
    reopen: async () => {
      await this.#reopen();
      return certain((model) => {
        if (!this.#harness.capabilities.persistent) model.forget();
        return model;
      });
    },
    rebuild: async () => {
      const erasing = await this.#attempt(this.#erasing());
      const done = erasing === undefined ? undefined : await this.#attempt(this.#rebuild());
      if (done !== undefined) expect((await this.#attempt(this.#erasing())) ?? erasing).toEqual(erasing);
      return { happened: done === undefined ? "perhaps" : "yes", step: this.#rebuilt };
    },
    "lose the catalog": () => this.#lose(),
    "open another": async () => {
      if (this.#opened.length > 1 || !this.#harness.capabilities.manyOpeners) await this.#reopen();
      else await (this.#harness.module !== undefined && this.#chance.below(4) === 0 ? this.#openElsewhere() : this.#open());
      return NOTHING;
    },
    "set the clock": async () => {
      const now = this.#clock.now().getTime();
      const times = [new Date(now - DAY_MS), new Date(now + DAY_MS), YEARS_END, new Date(now - 1)];
      this.#clock.set(times[this.#chance.below(times.length)] as Date);
      return NOTHING;
    },
  };

  async #save({ bench } = this.#any): Promise<Done> {
    const input = this.#someInput();
    const outcome = await outcomeOf(bench.save(input));
    if (outcome.status === "STORAGE_UNAVAILABLE" && this.#struck) return this.#settleSave(input);
    if ("createdAt" in outcome) this.#ids.push(outcome.id);
    return certain((model) => save(model, input, outcome));
  }

  /** Saves during a compaction or a garbage collection. Another process that does the latter may be killed meanwhile. */
  async #saveMeanwhile(): Promise<Done> {
    const { bench, other } = this.#any;
    const mayDie = other !== undefined && this.#harness.openWithFaults !== undefined && this.#chance.below(2) === 0;
    if (mayDie) other.arm({ ...CRASH, at: 1 + this.#chance.below(MAX_FAULT_AT) });
    const tending = this.#chance.below(3) === 0 ? bench.collectGarbage() : bench.compact(this.#someSession());
    const [done] = await Promise.all([
      this.#save(this.#opened.find((each) => each.other === undefined || each.other !== other)),
      tending.catch((error: unknown) => {
        if (other?.struck !== true) throw error;
      }),
    ]);
    await this.#leaveTheDead();
    other?.arm(undefined);
    return done;
  }

  /** Settles a failed save: it happened when a record with its id exists. */
  async #settleSave(input: WholeSave): Promise<Done> {
    await this.#recover();
    const id = input.checkpointId as CheckpointId;
    const record = await this.#any.storage.catalog.find(id);
    if (record === undefined || this.#ids.includes(id)) return NOTHING;
    this.#ids.push(id);
    const { parentId, sequence, createdAt } = record;
    return certain((model) => save(model, input, { status: "saved", id, parentId, sequence, createdAt }));
  }

  async #loadHead(): Promise<Done> {
    const sessionId = this.#someSession();
    return this.#load({ sessionId }, (model) => model.head(sessionId)?.text ?? "SESSION_NOT_FOUND");
  }

  async #loadById(): Promise<Done> {
    const checkpointId = this.#someId();
    if (checkpointId === undefined) return NOTHING;
    return this.#load({ checkpointId }, (model) => model.find(checkpointId)?.text ?? "CHECKPOINT_NOT_FOUND");
  }

  async #load(input: Parameters<Workbench["load"]>[0], expected: (model: ModelStore) => string): Promise<Done> {
    const text = await this.#attempt(this.#any.bench.load(input).then((loaded) => JSON.stringify(loaded.context), codeUnlessUnavailable));
    return text === undefined ? NOTHING : certain((model) => (expected(model) === text ? model : undefined));
  }

  async #pin(): Promise<Done> {
    const [sessionId, key, critical] = [
      this.#someSession(),
      ["step", "filler"][this.#chance.below(2)] as string,
      this.#chance.below(3) > 0,
    ];
    const pinning = this.#any.bench.pin({ sessionId, key, critical }).then(({ status }) => status as string, codeUnlessUnavailable);
    const status = await this.#attempt(pinning);
    const step: Step = (model) => {
      const expected = expectedOfPin(model, { sessionId, key, critical });
      if (status !== undefined && status !== expected) return undefined;
      if (expected === "pinned" || expected === "released") model.pin(sessionId, key, critical);
      return model;
    };
    return { happened: status === undefined ? "perhaps" : "yes", step };
  }

  async #tag(): Promise<Done> {
    const [sessionId, isOn] = [this.#someSession(), this.#chance.below(3) > 0];
    const tags = { sessionId, add: isOn ? ["tag"] : [], remove: isOn ? [] : ["tag"] };
    const done = await this.#attempt(this.#any.storage.catalog.commit({ tags, audit: [] }));
    return {
      happened: done === undefined ? "perhaps" : "yes",
      step(model) {
        model.tag(sessionId, "tag", isOn);
        return model;
      },
    };
  }

  async #shield(): Promise<Done> {
    const [checkpointId, until] = [this.#someId(), this.#someTime()];
    if (checkpointId === undefined) return NOTHING;
    const outcome = await this.#attempt(this.#any.storage.catalog.commit({ shields: [{ checkpointId, until }], audit: [] }));
    const told = outcome?.status === "committed" ? outcome.shielded.length : undefined;
    const step: Step = (model) => {
      if (told !== undefined && told !== (model.find(checkpointId) === undefined ? 0 : 1)) return undefined;
      model.shield(checkpointId, until);
      return model;
    };
    return { happened: outcome === undefined ? "perhaps" : "yes", step };
  }

  async #move(from: "live" | "trash", to: "live" | "trash" | "nowhere", erases = false): Promise<Done> {
    const sessionId = this.#someSession();
    const there = (this.#models[0]?.[from === "live" ? "live" : "trashed"] ?? []).filter((each) => each.sessionId === sessionId);
    const checkpoints = there.filter(() => this.#chance.below(2) === 0).map(({ id }) => id);
    const move = { sessionId, checkpoints, from, to, at: this.#clock.now(), reason: "conformance", erases } as Parameters<
      StorageInUse["catalog"]["commit"]
    >[0]["move"];
    const done = await this.#attempt(this.#any.storage.catalog.commit({ ...(move === undefined ? {} : { move }), audit: [] }));
    return {
      happened: done === undefined ? "perhaps" : "yes",
      step(model) {
        if (erases) model.erase(checkpoints.filter((id) => model[from === "live" ? "live" : "trashed"].some((each) => each.id === id)));
        else if (from === "live") model.remove(checkpoints, to as "trash" | "nowhere");
        else model.takeFromTrash(checkpoints, to as "live" | "nowhere");
        return model;
      },
    };
  }

  /** Erases live checkpoints of one session, or some in its trash: each of the two is one commit. */
  async #erase(): Promise<Done> {
    const [sessionId, from] = [this.#someSession(), (["live", "trashed"] as const)[this.#chance.below(2)] as "live" | "trashed"];
    const there = (this.#models[0]?.[from] ?? []).filter((each) => each.sessionId === sessionId);
    const checkpointIds = there.filter(() => this.#chance.below(2) === 0).map(({ id }) => id);
    if (checkpointIds.length === 0) return NOTHING;
    const overwrites = this.#chance.below(2) === 0;
    return this.#eraseThese({ checkpointIds, overwrites }, (model, refusal) => {
      const known = new Set([...model.live, ...model.trashed].map(({ id }) => id));
      const expected = checkpointIds.every((id) => known.has(id)) ? undefined : "CHECKPOINT_NOT_FOUND";
      if (refusal !== expected) return [];
      if (expected === undefined) model.erase(checkpointIds, overwrites);
      return model.perhapsForgotten(SESSIONS);
    });
  }

  async #eraseSession(): Promise<Done> {
    const sessionId = this.#someSession();
    const overwrites = this.#chance.below(2) === 0;
    return this.#eraseThese({ sessionIds: [sessionId], overwrites }, (model, refusal) => {
      const expected = model.knows(sessionId) ? undefined : "SESSION_NOT_FOUND";
      if (refusal !== expected) return [];
      // Live checkpoints are one commit and those in the trash another: a fault may strike between them.
      const halfway = model.copy();
      halfway.erase(
        halfway.ofSession(sessionId).map(({ id }) => id),
        overwrites,
      );
      const all = [...model.live, ...model.trashed].filter((each) => each.sessionId === sessionId);
      model.erase(
        all.map(({ id }) => id),
        overwrites,
      );
      return [...(this.#fault === undefined ? [] : [halfway]), ...model.perhapsForgotten(SESSIONS)];
    });
  }

  /**
   * Erases, which also finishes erasures that were decided before.
   *
   * @param step gets the error code of a refusal.
   */
  async #eraseThese(input: EraseInput, step: (model: ModelStore, refusal: string | undefined) => readonly ModelStore[]): Promise<Done> {
    const outcome = await this.#attempt(this.#any.bench.erase(input).then(({ left }) => left, codeUnlessUnavailable));
    const refusal = typeof outcome === "string" ? outcome : undefined;
    if (Array.isArray(outcome)) this.#expectNothingLeft(outcome as readonly string[]);
    return { happened: outcome === undefined ? "perhaps" : "yes", step: (model) => step(model, refusal) };
  }

  async #finishErasures(): Promise<Done> {
    const left = await this.#attempt(this.#any.bench.finishErasures().then((finished) => finished.left));
    this.#expectNothingLeft(left ?? []);
    return certain((model) => model.perhapsForgotten(SESSIONS));
  }

  #expectNothingLeft(left: readonly string[]): void {
    if (left.length > 0 && !this.#struck) throw new Error(`Something is left of what was erased: ${left.join(" ")}`);
  }

  /** Throws when all erasures are done but a file of an erased checkpoint exists. */
  async #lookForErased(): Promise<void> {
    const { catalog, blobs } = this.#first.storage;
    if ((await catalog.erasures()).length > 0) return;
    const erased = new Set(this.#models[0]?.erased.map(({ sessionId, id: checkpointId }) => blobs.refOf({ sessionId, checkpointId })));
    for await (const { ref } of blobs.list()) if (erased.has(ref)) throw new Error(`${ref} is there, and was erased.`);
  }

  /** Runs maintenance, which changes nothing visible whether it is done or not. */
  async #tend(work: (bench: OrderedParts["bench"]) => Promise<unknown>): Promise<Done> {
    await this.#attempt(work(this.#any.bench));
    return NOTHING;
  }

  async #hold(): Promise<Done> {
    const { catalog } = this.#any.storage;
    const { catalog: here, blobs } = this.#first.storage;
    await catalog.holdRemovals("conformance", new Date(Date.now() + DAY_MS));
    expect(await here.reclaim(undefined, (ref) => blobs.remove(ref))).toEqual([]);
    await catalog.releaseRemovals("conformance");
    return NOTHING;
  }

  async #repair(): Promise<Done> {
    await this.#attempt(this.#any.bench.repair());
    await this.#recover();
    await this.#any.bench.repair();
    const { findings } = await this.#any.bench.verify();
    // An erasure may wait for a hold on removals.
    expect(findings.filter(({ kind }) => kind !== "erasure-unfinished")).toEqual([]);
    return NOTHING;
  }

  async #lose(): Promise<Done> {
    if (this.#harness.loseCatalog === undefined) return NOTHING;
    const erasing = await this.#erasing();
    await this.#close();
    await this.#harness.loseCatalog(this.#place);
    await this.#open();
    await this.#rebuild();
    expect(await this.#erasing()).toEqual(erasing);
    return certain(this.#rebuilt);
  }

  /** Blobs of unfinished erasures. */
  async #erasing(): Promise<readonly BlobRef[]> {
    return (await this.#first.storage.catalog.erasures()).map(({ blob }) => blob).toSorted();
  }

  /** Rebuilds a model from the files that existed at the last look. */
  readonly #rebuilt = (model: ModelStore): readonly ModelStore[] =>
    model.rebuilt(({ sessionId, id: checkpointId }) => this.#files.has(this.#first.storage.blobs.refOf({ sessionId, checkpointId })));

  async #lookAtFiles(): Promise<void> {
    this.#files.clear();
    const { blobs } = this.#first.storage;
    const bench = this.#benchOf(this.#first.storage);
    // A file that is being erased may be overwritten already.
    for await (const { ref } of blobs.list()) if (await bench.isReadable(ref)) this.#files.add(ref);
  }

  /** Awaits work; `undefined` when the fault made it fail. */
  async #attempt<T>(work: Promise<T>): Promise<T | undefined> {
    try {
      return await work;
    } catch (error) {
      if (this.#struck && isWorkrailError(error) && error.code === "STORAGE_UNAVAILABLE") return undefined;
      throw error;
    }
  }

  #someInput(): WholeSave {
    const sessionId = this.#someSession();
    const step = this.#chance.below(6);
    const context = this.#chance.below(2) === 0 ? { step } : { step, filler: FILLER };
    const head = this.#models[0]?.head(sessionId)?.id ?? null;
    const ofCaller = this.#fault !== undefined || this.#chance.below(4) === 0;
    return {
      sessionId,
      context,
      kind: ([...Array<"workflow">(6).fill("workflow"), "project", "aside"] as const)[this.#chance.below(8)],
      force: this.#chance.below(4) === 0,
      tags: this.#chance.below(12) === 0 ? [KEEP_TAG] : [],
      parentId: [this.#someId(), null][this.#chance.below(16)],
      expectedParentId: [head, this.#someId() ?? null][this.#chance.below(10)],
      checkpointId: ofCaller ? (this.#oldId() ?? this.#newId()) : undefined,
      shieldUntil: this.#chance.below(8) === 0 ? this.#someTime() : undefined,
    };
  }

  #newId(): CheckpointId {
    return `own-${this.#chance.below(0x7fff_ffff)}` as CheckpointId;
  }

  /** Sometimes returns the id of a checkpoint that was not removed for good. */
  #oldId(): CheckpointId | undefined {
    const known = [...(this.#models[0]?.live ?? []), ...(this.#models[0]?.trashed ?? [])];
    return this.#chance.below(8) === 0 ? known[this.#chance.below(known.length)]?.id : undefined;
  }

  #someId(): CheckpointId | undefined {
    return this.#ids[this.#chance.below(this.#ids.length)];
  }

  /** Returns a time from yesterday to three days from now. */
  #someTime(): Date {
    return new Date(this.#clock.now().getTime() + (this.#chance.below(5) - 1) * DAY_MS);
  }

  #someSession(): SessionId {
    return SESSIONS[this.#chance.below(SESSIONS.length)] as SessionId;
  }

  #pick(): Name {
    const [model] = this.#models;
    if (model !== undefined && model.live.length + model.trashed.length > MANY)
      return model.trashed.length > MANY / 2 ? "delete from the trash" : "delete";
    let left = this.#chance.below(Object.values(WEIGHTS).reduce((sum: number, weight) => sum + weight, 0));
    const names = Object.keys(WEIGHTS) as Name[];
    return names.find((name) => (left -= WEIGHTS[name]) < 0) as Name;
  }

  #someFault(name: Name): FaultPlan | undefined {
    if (this.#harness.openWithFaults === undefined || WITHOUT_FAULTS.has(name) || this.#chance.below(ONE_IN_FAULTY) > 0) return undefined;
    return { ...(FAULTS[this.#chance.below(FAULTS.length)] as FaultPlan), at: 1 + this.#chance.below(MAX_FAULT_AT) };
  }

  get #first(): Opened {
    const [first] = this.#opened;
    if (first === undefined) throw new Error("The store is closed.");
    return first;
  }

  get #any(): Opened {
    return this.#opened[this.#chance.below(this.#opened.length)] ?? this.#first;
  }

  async #open(): Promise<void> {
    const opened = await (this.#harness.openWithFaults?.(this.#place, this.#faults) ?? this.#harness.open(this.#place));
    const storage = storageInUse(opened);
    this.#opened = [...this.#opened, { storage, bench: this.#benchOf(storage) }];
  }

  #benchOf(storage: StorageInUse): Workbench {
    return new Workbench(storage, { clock: this.#clock, ids: this.#newIds, limits: { maxCheckpoints: MAX_CHECKPOINTS } });
  }

  /** Opens the store in another process. Its catalog gets no calls that take a function; files are read in this process. */
  async #openElsewhere(): Promise<void> {
    const options = { clock: this.#clock, ids: this.#newIds, maxCheckpoints: MAX_CHECKPOINTS };
    const other = await OtherProcess.start(this.#harness, this.#place, options);
    const storage = { ...this.#first.storage, catalog: other.catalog as StorageInUse["catalog"] };
    this.#opened = [...this.#opened, { storage, bench: other.bench, other }];
  }

  async #close(): Promise<void> {
    for (const { bench, storage, other } of this.#opened) {
      if (other?.isGone !== true) await bench.idle();
      await (other ?? storage).close();
    }
    this.#opened = [];
  }

  async #rebuild(): Promise<unknown> {
    return this.#benchOf(this.#first.storage).rebuild();
  }

  /** Closes all openers and opens the store once. */
  async #reopen(): Promise<void> {
    await this.#close();
    await this.#open();
  }
}

const NOTHING: Done = { happened: "yes", step: (model) => model };

function certain(step: Step): Done {
  return { happened: "yes", step };
}

function save(model: ModelStore, input: WholeSave, outcome: Outcome): ModelStore | undefined {
  const expected = model.expect(input);
  if (expected.status !== outcome.status) return undefined;
  if (expected.status !== "saved") return "id" in expected && expected.id !== outcome.id ? undefined : model;
  if (!("createdAt" in outcome) || outcome.sequence !== expected.sequence || outcome.parentId !== expected.parentId) return undefined;
  model.save(input, outcome, expected);
  return model;
}

function expectedOfPin(model: ModelStore, { sessionId, key, critical }: { sessionId: SessionId; key: string; critical: boolean }): string {
  const isPinned = model.pins(sessionId).includes(key);
  if (!model.knows(sessionId)) return "SESSION_NOT_FOUND";
  if (!critical) return isPinned ? "released" : "key-not-found";
  if (isPinned) return "pinned";
  const head = model.head(sessionId);
  if (head === undefined) return "SESSION_NOT_FOUND";
  return Object.hasOwn(JSON.parse(head.text) as object, key) ? "pinned" : "key-not-found";
}

/** Returns the code of an error other than STORAGE_UNAVAILABLE: a refusal is a result. */
function codeUnlessUnavailable(error: unknown): string {
  if (isWorkrailError(error) && error.code !== "STORAGE_UNAVAILABLE") return error.code;
  throw error;
}
