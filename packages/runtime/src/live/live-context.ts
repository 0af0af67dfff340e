import type { CompressibleContext, Condensation, Context, EnhancedContext, JsonValue, Layer, LoopChanges } from "@workrail/core";
import type { GivenContextRules, LoadCheckpointResult, SaveCheckpointResult } from "../context-management-service.ts";

export interface LiveContextParams {
  /** The session that checkpoints are saved to. Of one that exists, `resume` brings the latest. */
  readonly sessionId: string;
  /** What to begin with. Default: nothing. */
  readonly context?: object | undefined;
  readonly workflowId?: string | undefined;
  readonly agentId?: string | undefined;
  /** How entries are classified, and the workflow's phases. Default: as the project's file of rules says, if it has one. */
  readonly contextRules?: GivenContextRules | undefined;
  /** The most tokens to work with, 500 at least. At 80% of it what is not CRITICAL is condensed. Default: nothing is. */
  readonly maxTokens?: number | undefined;
  /** What matters now: what is about it keeps more when it is condensed. */
  readonly focus?: string | undefined;
  /** Whether the end of a phase saves a checkpoint. Default: `WORKRAIL_CHECKPOINT_AUTO_SAVE`, else `true`. */
  readonly autoSave?: boolean | undefined;
  /** Told after the context was condensed. What it throws goes to the log. */
  readonly onCondensed?: ((condensed: Condensed) => void) | undefined;
  /** Told when condensing in the background failed; the context is then as it was. Default, and for what it throws: the log is told. */
  readonly onCondenseFailed?: ((error: unknown) => void) | undefined;
}

/** What became of a context that grew too large. */
export interface Condensed extends Condensation {
  readonly tokensBefore: number;
  /** Above the limit, where CRITICAL entries alone are. */
  readonly tokensAfter: number;
  /** Those that were shortened or dropped; nobody wrote to them meanwhile. */
  readonly entries: readonly CondensedEntry[];
}

export interface CondensedEntry {
  readonly key: string;
  readonly layer?: Layer | undefined;
  /** `dropped`: it is in the context no more. */
  readonly outcome: "shortened" | "dropped";
}

export interface LiveCheckpointOptions {
  readonly name?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  /** Save although nothing changed. Default `false`. */
  readonly force?: boolean | undefined;
}

/**
 * The context of a workflow that runs, in memory, with what is needed to stop anywhere and go on from there. Values are
 * copied when they come in, and what is given out cannot be changed in place.
 */
export interface LiveContext {
  readonly sessionId: string;
  /** The context and where the engine is. What it was stays as it was when something changes. */
  readonly enhanced: EnhancedContext;
  readonly context: Context;
  get(key: string): JsonValue | undefined;
  /** @throws INVALID_INPUT, as all that write do, for what JSON cannot hold. */
  set(key: string, value: unknown): void;
  /** Sets several entries, all of them or none. */
  merge(entries: object): void;
  /** Sets an entry to what is made of it; `undefined` removes it. */
  update(key: string, change: (value: JsonValue | undefined) => unknown): void;
  delete(key: string): void;
  /** Says where loops are: see `ContextOptimizer`. */
  mergeLoopState(loopState: LoopChanges): void;
  /** Says which step of the phase is under way; `undefined`: none. */
  enterStep(step: string | undefined): void;
  /**
   * Begins a phase. If another one is under way, that ends, as by `endPhase`.
   *
   * @throws INVALID_INPUT for a phase that `contextRules.phases` does not have; and what saving throws.
   */
  enterPhase(name: string): Promise<SaveCheckpointResult | undefined>;
  /**
   * Ends a phase, and saves a checkpoint that is marked as its end, unless `autoSave` or the rules say otherwise. The next
   * of `contextRules.phases` is then under way. When saving fails, the phase has ended all the same: repeat the call to save.
   *
   * @throws INVALID_INPUT for a phase that `contextRules.phases` does not have, and while another is under way; and what saving throws.
   */
  endPhase(name: string): Promise<SaveCheckpointResult | undefined>;
  /** Saves what is there now. Later changes are not in it. */
  checkpoint(options?: LiveCheckpointOptions): Promise<SaveCheckpointResult>;
  /**
   * Takes up the session's latest checkpoint, in place of what is there. Resolves to `undefined`, with nothing changed, when
   * the session has none.
   *
   * @throws what loading throws; INVALID_INPUT and UNSUPPORTED_VERSION for an engine's state that cannot be read.
   */
  resume(): Promise<Omit<LoadCheckpointResult, "context"> | undefined>;
  /** Tokens of all entries and the engine's state as JSON, to within a token for each entry. */
  tokens(): Promise<number>;
  /**
   * Condenses what is not CRITICAL to half of `maxTokens`, now. The originals are saved first. An entry that is written to
   * meanwhile stays as it was written. Resolves to `undefined` when nothing was shortened.
   *
   * @throws INVALID_INPUT without `maxTokens`; what saving throws.
   */
  condense(): Promise<Condensed | undefined>;
  /**
   * An entry as it was before it was last condensed.
   *
   * @param checkpointId of `enhanced.engine.condensed`, for an earlier time. Default: the latest.
   * @returns `undefined` when it was not condensed.
   * @throws CHECKPOINT_NOT_FOUND once the original's `validUntil` has passed, or it was erased.
   */
  original(key: string, checkpointId?: string): Promise<JsonValue | undefined>;
  /** What a checkpoint made now would hold. */
  prepare(): CompressibleContext;
  /** Finishes what is under way in the background. It saves nothing; the store stays open. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
