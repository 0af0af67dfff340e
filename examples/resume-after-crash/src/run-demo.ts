import { type BudgetedView, loadUnderBudgets } from "./budgeted-view.ts";
import { crashDuring } from "./crash.ts";
import { loseDatabase, sizeOfStore, type StoreSize } from "./data-directory.ts";
import { fetchEntry } from "./fetch-entry.ts";
import { Ledger } from "./ledger.ts";
import { applyStep, type Context, type Session } from "./session-player.ts";
import { type Timing, Timings } from "./timings.ts";
import { type Saved, WorkrailServer } from "./workrail-server.ts";

export interface DemoOptions {
  readonly session: Session;
  /** Path of the server's program. */
  readonly program: string;
  /** An empty directory for the data. */
  readonly dataDir: string;
}

/** An event of the demo, reported as soon as it happens. */
export type DemoEvent =
  | { readonly kind: "played" | "continued"; readonly from: number; readonly to: number }
  | { readonly kind: "killed"; readonly step: number; readonly afterMs: number; readonly usualMs: number; readonly wasAnswered: boolean }
  | { readonly kind: "resumed"; readonly found: number; readonly step: number; readonly isExact: boolean; readonly wasInFlight: boolean }
  | { readonly kind: "lost"; readonly removed: readonly string[] }
  | { readonly kind: "rebuilt"; readonly found: number; readonly ms: number }
  | { readonly kind: "compared"; readonly acknowledged: Compared; readonly others: Compared };

/** Number of compared checkpoints, and of those that equal the saved text byte for byte. */
interface Compared {
  readonly of: number;
  readonly same: number;
}

export interface DemoResult extends StoreSize {
  readonly checkpoints: number;
  /** Bytes of the last context as JSON text; `contextBytes` is the sum of all contexts. */
  readonly lastContextBytes: number;
  readonly contextBytes: number;
  readonly save: Timing;
  readonly load: Timing;
  readonly criticalKey: string;
  readonly views: readonly BudgetedView[];
  /** The largest entry that does not fit in any answer, fetched in parts; `undefined` when all entries fit. */
  readonly fetched: Fetched | undefined;
  /** All deviations; empty when the demo succeeded. */
  readonly mismatches: readonly string[];
}

export interface Fetched {
  readonly key: string;
  readonly characters: number;
  readonly calls: number;
}

/**
 * Plays a session, kills the server in the middle of a save, resumes, plays the rest, deletes the database and compares every checkpoint
 * with the acknowledged text.
 */
export async function runDemo(options: DemoOptions, tell: (event: DemoEvent) => void): Promise<DemoResult> {
  const demo = new Demo(options, tell);
  try {
    return await demo.run();
  } finally {
    await demo.stop();
  }
}

class Demo {
  readonly #session: Session;
  readonly #sessionId: string;
  readonly #workflowId: string;
  readonly #options: DemoOptions;
  readonly #tell: (event: DemoEvent) => void;
  readonly #ledger = new Ledger();
  readonly #saves = new Timings();
  readonly #loads = new Timings();
  #running: WorkrailServer | undefined;
  #context: Context;
  /** Number of steps that are applied to the context. */
  #step = 0;

  constructor(options: DemoOptions, tell: (event: DemoEvent) => void) {
    this.#options = options;
    this.#tell = tell;
    this.#session = options.session;
    this.#sessionId = options.session.id.replaceAll(/[^A-Za-z0-9_-]+/gu, "-").slice(0, 100) || "session";
    const { workflowId } = options.session.initial;
    this.#workflowId = typeof workflowId === "string" ? workflowId : this.#sessionId;
    this.#context = options.session.initial;
  }

  async run(): Promise<DemoResult> {
    const { steps } = this.#session;
    await this.#play("played", somewhereInTheMiddle(steps.length));
    const criticalKey = await this.#markGoal();
    await this.#crashAndResume();
    await this.#play("continued", steps.length);
    this.#compareEnd();
    const size = await this.#loseDatabase();
    await this.#compareAll(criticalKey);
    const views = await loadUnderBudgets(await this.#server(), this.#sessionId, criticalKey);
    const fetched = await this.#fetchOriginal(views.at(-1)?.shortened[0]?.key);
    return {
      ...size,
      checkpoints: this.#ledger.checkpointIds.length,
      lastContextBytes: Buffer.byteLength(JSON.stringify(this.#context)),
      contextBytes: this.#ledger.bytes,
      save: this.#saves.summary,
      load: this.#loads.summary,
      criticalKey,
      views,
      fetched,
      mismatches: this.#ledger.mismatches,
    };
  }

  async stop(): Promise<void> {
    await this.#running?.close();
    this.#running = undefined;
  }

  /** Returns the running server, or starts one. */
  async #server(): Promise<WorkrailServer> {
    this.#running ??= await WorkrailServer.start({ ...this.#options, maxCheckpoints: this.#session.steps.length + 10 });
    return this.#running;
  }

  async #play(kind: "played" | "continued", to: number): Promise<void> {
    const from = this.#step + 1;
    const server = await this.#server();
    while (this.#step < to) {
      const next = this.#nextContext();
      const { checkpointId } = await this.#saves.time(() => this.#save(server, next));
      this.#advance(checkpointId, next);
    }
    this.#tell({ kind, from, to });
  }

  #nextContext(): Context {
    return applyStep(this.#context, this.#session.steps[this.#step] ?? {});
  }

  #save(server: WorkrailServer, context: Context): Promise<Saved> {
    const name = `step ${this.#step + 1}`;
    return server.save({ sessionId: this.#sessionId, workflowId: this.#workflowId, context, metadata: { name } });
  }

  #advance(checkpointId: string, context: Context): void {
    this.#step += 1;
    this.#context = context;
    this.#ledger.acknowledge(checkpointId, this.#step, JSON.stringify(context));
  }

  /** Marks the longest text of the initial context as critical: it usually states the user's goal. */
  async #markGoal(): Promise<string> {
    const weight = ([, value]: [string, unknown]): number => (typeof value === "string" ? value.length : -1);
    const [[contextKey] = [""]] = Object.entries(this.#session.initial).toSorted((left, right) => weight(right) - weight(left));
    const server = await this.#server();
    const { status } = await server.markCritical({ sessionId: this.#sessionId, contextKey });
    if (status !== "SUCCESS") this.#ledger.miss(`marking ${contextKey} as critical was answered with ${status}`);
    return contextKey;
  }

  /**
   * Kills the server during a save and resumes. When the answer was faster than the kill, it tries again with the next save, because the
   * kill did not interrupt a save.
   */
  async #crashAndResume(): Promise<void> {
    for (let wasAnswered = true; wasAnswered && this.#step < this.#session.steps.length;) {
      wasAnswered = await this.#crash();
      await this.#resume();
    }
  }

  async #crash(): Promise<boolean> {
    const server = await this.#server();
    const next = this.#nextContext();
    const step = this.#step + 1;
    const usualMs = this.#saves.summary.medianMs;
    const { afterMs, answer } = await crashDuring(() => this.#save(server, next), server, usualMs);
    this.#running = undefined;
    if (answer === undefined) this.#ledger.lose(step, JSON.stringify(next));
    else this.#advance(answer.checkpointId, next);
    this.#tell({ kind: "killed", step, afterMs, usualMs, wasAnswered: answer !== undefined });
    return answer !== undefined;
  }

  /** Resumes as an agent without any memory does: lists the checkpoints, loads the latest, continues from there. */
  async #resume(): Promise<void> {
    const server = await this.#server();
    const listed = await server.list();
    this.#compareListing(listed, "after the kill");
    const [newest] = listed;
    if (newest === undefined) throw new Error("after the kill the server lists no checkpoint at all");
    const { checkpointId, context } = await server.load({ sessionId: newest.sessionId, full: true });
    const expected = this.#ledger.latest;
    const text = JSON.stringify(context);
    const isExact = this.#ledger.compare(checkpointId, text, "after the kill");
    const step = this.#ledger.stepOf(checkpointId, text) ?? expected?.step ?? 0;
    if (step < (expected?.step ?? 0))
      this.#ledger.miss(`after the kill: the latest checkpoint is step ${step}, not step ${expected?.step}`);
    this.#step = step;
    this.#context = context;
    this.#ledger.acknowledge(checkpointId, step, text);
    this.#tell({ kind: "resumed", found: listed.length, step, isExact, wasInFlight: step !== expected?.step });
  }

  /** Compares the final context with the one of an uninterrupted run. The steps after the crash were applied to the loaded context. */
  #compareEnd(): void {
    const uninterrupted = this.#session.steps.reduce(applyStep, this.#session.initial);
    if (JSON.stringify(uninterrupted) === JSON.stringify(this.#context)) return;
    this.#ledger.miss("at the end: the context is not what it would be without the crash");
  }

  async #loseDatabase(): Promise<StoreSize> {
    await this.stop();
    const size = await sizeOfStore(this.#options.dataDir);
    this.#tell({ kind: "lost", removed: await loseDatabase(this.#options.dataDir) });
    return size;
  }

  async #compareAll(criticalKey: string): Promise<void> {
    const server = await this.#server();
    const started = performance.now();
    const listed = await server.list();
    this.#tell({ kind: "rebuilt", found: listed.length, ms: performance.now() - started });
    this.#compareListing(listed, "after the rebuild");
    const known = new Set(this.#ledger.checkpointIds);
    const acknowledged = await this.#compareEach(server, [...known]);
    // The file of an interrupted save may exist, and the rebuild then lists it. Such a checkpoint must be complete.
    const others = await this.#compareEach(
      server,
      listed.map(({ checkpointId }) => checkpointId).filter((id) => !known.has(id)),
    );
    await this.#compareLatest(server, criticalKey);
    this.#tell({ kind: "compared", acknowledged, others });
  }

  /** Records a mismatch for each acknowledged checkpoint that is not listed. Other checkpoints may be listed too. */
  #compareListing(listed: readonly { readonly checkpointId: string }[], when: string): void {
    const found = new Set(listed.map(({ checkpointId }) => checkpointId));
    for (const id of this.#ledger.checkpointIds) {
      if (!found.has(id)) this.#ledger.miss(`${when}: checkpoint ${id} was acknowledged and is not listed`);
    }
  }

  async #compareEach(server: WorkrailServer, checkpointIds: readonly string[]): Promise<Compared> {
    let same = 0;
    for (const checkpointId of checkpointIds) {
      try {
        const { context } = await this.#loads.time(() => server.load({ checkpointId, full: true }));
        if (this.#ledger.compare(checkpointId, JSON.stringify(context), "after the rebuild")) same += 1;
      } catch (error) {
        this.#ledger.miss(`after the rebuild: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
    return { of: checkpointIds.length, same };
  }

  /** Fetches an entry that the answer shortened by its name, and compares it with the saved value. */
  async #fetchOriginal(key: string | undefined): Promise<Fetched | undefined> {
    const latest = this.#ledger.latest;
    if (key === undefined || latest === undefined) return undefined;
    const { value, calls } = await fetchEntry(await this.#server(), latest.checkpointId, [key]);
    const text = JSON.stringify(value);
    if (text !== JSON.stringify(this.#context[key])) this.#ledger.miss(`${key}, fetched in parts, is not what was saved`);
    return { key, characters: text.length, calls };
  }

  async #compareLatest(server: WorkrailServer, criticalKey: string): Promise<void> {
    const { checkpointId, metadata } = await server.load({ sessionId: this.#sessionId, full: true });
    if (checkpointId !== this.#ledger.latest?.checkpointId) this.#ledger.miss("after the rebuild: another checkpoint is the latest");
    if (metadata.criticalKeys?.includes(criticalKey) !== true)
      this.#ledger.miss(`after the rebuild: ${criticalKey} is not critical any more`);
  }
}

/** Returns a step between one half and two thirds of all steps. At least one step remains for the kill and one to continue with. */
function somewhereInTheMiddle(steps: number): number {
  const step = Math.floor(steps * (1 / 2 + Math.random() / 6));
  return Math.max(1, Math.min(step, steps - 2));
}
