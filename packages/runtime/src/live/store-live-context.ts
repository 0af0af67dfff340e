import { parseContextRules } from "@workrail/classifier/rules";
import {
  type Clock,
  type Context,
  type ContextRules,
  isWorkrailError,
  type JsonValue,
  type Log,
  ownJson,
  parseSessionId,
  type Phase,
  type TokenCounter,
  WorkrailError,
} from "@workrail/core";
import type { IContextManagementService, LoadCheckpointResult, SaveCheckpointResult } from "../context-management-service.ts";
import { condenseLive } from "./condense-live.ts";
import { EntryTokens } from "./entry-tokens.ts";
import type { Condensed, LiveCheckpointOptions, LiveContext, LiveContextParams } from "./live-context.ts";
import { SizeWatch } from "./size-watch.ts";
import type { CompressibleContext } from "./context-optimizer.ts";
import { contextOptimizer } from "./context-optimizer.ts";
import { endPhase, enterPhase } from "./phases.ts";
import type { EngineState, EnhancedContext, LoopChanges } from "./enhanced-context.ts";
import type { PhaseChange } from "./phases.ts";

export interface LiveContextPorts {
  readonly service: Pick<IContextManagementService, "saveCheckpoint" | "loadCheckpoint" | "compressContext">;
  readonly tokens: TokenCounter;
  readonly clock: Clock;
  readonly log: Log;
  /** Default when the caller gives none. */
  readonly autoSave: boolean;
  /** Rules of the project, when the caller gives none. */
  projectRules(): Promise<ContextRules | undefined>;
}

const LEAST_MAX_TOKENS = 500;

/** A live context that saves its checkpoints to a store. */
export class StoreLiveContext implements LiveContext {
  readonly sessionId: string;
  readonly #ports: LiveContextPorts;
  readonly #params: LiveContextParams;
  readonly #rules: ContextRules | undefined;
  readonly #sizes: EntryTokens;
  readonly #watch: SizeWatch | undefined;
  #enhanced: EnhancedContext;
  #saving: Promise<unknown> = Promise.resolve();

  /** @throws INVALID_INPUT for invalid parameters. */
  constructor(ports: LiveContextPorts, params: LiveContextParams) {
    this.sessionId = parseSessionId(params.sessionId);
    this.#ports = ports;
    this.#params = params;
    this.#rules = params.contextRules === undefined ? undefined : parseContextRules(params.contextRules);
    this.#sizes = new EntryTokens(ports.tokens);
    this.#enhanced = owned(contextOptimizer.createEnhancedContext((params.context ?? {}) as Context));
    this.#watch = params.maxTokens === undefined ? undefined : this.#watchSize(params.maxTokens);
    this.#watch?.touch();
  }

  get enhanced(): EnhancedContext {
    return this.#enhanced;
  }

  get context(): Context {
    return this.#enhanced.context;
  }

  get(key: string): JsonValue | undefined {
    return Object.hasOwn(this.context, key) ? this.context[key] : undefined;
  }

  set(key: string, value: unknown): void {
    this.merge(Object.fromEntries([[key, value]]));
  }

  merge(entries: object): void {
    const { context, engine } = this.#enhanced;
    const written = ownJson(contextOptimizer.createEnhancedContext(entries as Context).context) as Context;
    this.#change({ context: Object.freeze({ ...context, ...written }), engine: rewritten(engine, Object.keys(written)) });
  }

  update(key: string, change: (value: JsonValue | undefined) => unknown): void {
    const value = change(this.get(key));
    if (value === undefined) this.delete(key);
    else this.set(key, value);
  }

  delete(key: string): void {
    const { context, engine } = this.#enhanced;
    if (!Object.hasOwn(context, key)) return;
    const left = Object.entries(context).filter(([name]) => name !== key);
    this.#change({ context: Object.freeze(Object.fromEntries(left)), engine: rewritten(engine, [key]) });
  }

  mergeLoopState(loopState: LoopChanges): void {
    const { context, engine } = contextOptimizer.mergeLoopState(this.#enhanced, loopState);
    this.#change({ context, engine: { ...engine, loops: ownJson(engine.loops) as EngineState["loops"] } });
  }

  enterStep(step: string | undefined): void {
    const { context, engine } = this.#enhanced;
    this.#change({ context, engine: { ...engine, step } });
  }

  async enterPhase(name: string): Promise<SaveCheckpointResult | undefined> {
    const phases = await this.#phases();
    return this.#changePhase(enterPhase(this.#enhanced.engine, name, phases));
  }

  async endPhase(name: string): Promise<SaveCheckpointResult | undefined> {
    const phases = await this.#phases();
    return this.#changePhase(endPhase(this.#enhanced.engine, name, phases));
  }

  checkpoint(options: LiveCheckpointOptions = {}): Promise<SaveCheckpointResult> {
    return this.#save(options);
  }

  async resume(): Promise<Omit<LoadCheckpointResult, "context"> | undefined> {
    const loaded = await this.#ports.service.loadCheckpoint({ sessionId: this.sessionId }).catch((error: unknown) => {
      if (isWorkrailError(error) && error.code === "SESSION_NOT_FOUND") return undefined;
      throw error;
    });
    if (loaded === undefined) return undefined;
    const { context, ...rest } = loaded;
    this.#change(owned(contextOptimizer.restoreFromPersistence(context as Context)));
    return rest;
  }

  tokens(): Promise<number> {
    return this.#sizes.ofAll(this.prepare());
  }

  async condense(): Promise<Condensed | undefined> {
    if (this.#watch !== undefined) return this.#watch.condense();
    throw new WorkrailError("INVALID_INPUT", "maxTokens, the target size, is missing.", {
      details: { field: "maxTokens" },
      hint: "Set maxTokens in liveContext.",
    });
  }

  async original(key: string, checkpointId?: string): Promise<JsonValue | undefined> {
    const from = this.#enhanced.engine.condensed.findLast(
      (each) => each.keys.includes(key) && (checkpointId === undefined || each.checkpointId === checkpointId),
    );
    if (from === undefined) return undefined;
    const { context } = await this.#ports.service.loadCheckpoint({ checkpointId: from.checkpointId });
    return Object.hasOwn(context, key) ? ownJson(context[key] as JsonValue) : undefined;
  }

  prepare(): CompressibleContext {
    return contextOptimizer.prepareForPersistence(this.#enhanced);
  }

  async close(): Promise<void> {
    await this.#watch?.close();
    await this.#saving;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #change(enhanced: EnhancedContext): void {
    this.#enhanced = enhanced;
    this.#watch?.touch();
  }

  #watchSize(maxTokens: number): SizeWatch {
    if (!Number.isSafeInteger(maxTokens) || maxTokens < LEAST_MAX_TOKENS) {
      throw new WorkrailError("INVALID_INPUT", `maxTokens must be a whole number from ${LEAST_MAX_TOKENS}.`, {
        details: { field: "maxTokens" },
      });
    }
    const { log, clock, service } = this.#ports;
    const { contextRules, focus, agentId, onCondensed, onCondenseFailed } = this.#params;
    return new SizeWatch({
      maxTokens,
      tokens: () => this.tokens(),
      condense: async (budgetTokens) => {
        const wish = { sessionId: this.sessionId, contextRules, focus, agentId, budgetTokens };
        const how = { service, now: clock.now(), sizes: this.#sizes, wish };
        return condenseLive(how, this.#enhanced, (apply) => {
          // Applied to the current state: entries written while the originals were saved keep their values.
          this.#enhanced = apply(this.#enhanced);
          return this.#enhanced;
        });
      },
      onCondensed,
      onListenerFailed: (error) => log.error("a listener of condensing failed", { sessionId: this.sessionId, error }),
      onFailed: onCondenseFailed ?? ((error) => log.warn("a live context could not be condensed", { sessionId: this.sessionId, error })),
    });
  }

  async #phases(): Promise<readonly Phase[] | undefined> {
    return (this.#rules ?? (await this.#ports.projectRules()))?.phases;
  }

  async #changePhase({ engine, ended }: PhaseChange): Promise<SaveCheckpointResult | undefined> {
    this.#change({ context: this.context, engine });
    const isSaved = ended?.checkpoint === true && (this.#params.autoSave ?? this.#ports.autoSave);
    return isSaved ? this.#save({ phase: ended.name }) : undefined;
  }

  /** Saves in the order of the calls, so that the latest checkpoint is the latest state. */
  #save({ name, tags, ...options }: LiveCheckpointOptions & { readonly phase?: string }): Promise<SaveCheckpointResult> {
    const { workflowId, agentId, contextRules } = this.#params;
    // Copied: earlier saves may take a while, and the caller may change the list meanwhile.
    const tagsNow = Array.isArray(tags) ? [...tags] : tags;
    const metadata = { ...(name === undefined ? {} : { name }), ...(tagsNow === undefined ? {} : { tags: tagsNow }) };
    const params = { sessionId: this.sessionId, context: this.prepare(), metadata, workflowId, agentId, contextRules, ...options };
    const saved = this.#saving.then(() => this.#ports.service.saveCheckpoint(params));
    // A failure rejects the caller's promise, and must not block the next save.
    this.#saving = saved.catch(() => undefined);
    return saved;
  }
}

function owned({ context, engine }: EnhancedContext): EnhancedContext {
  return { context: ownJson(context) as Context, engine: { ...engine, loops: ownJson(engine.loops) as EngineState["loops"] } };
}

/** Marks condensed entries that were written to since. */
function rewritten(engine: EngineState, keys: readonly string[]): EngineState {
  const news = keys.filter((key) => !engine.rewritten.includes(key) && engine.condensed.some((each) => each.keys.includes(key)));
  return news.length === 0 ? engine : { ...engine, rewritten: [...engine.rewritten, ...news] };
}
