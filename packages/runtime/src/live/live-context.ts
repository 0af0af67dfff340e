import type { Context, JsonValue, Layer } from "@workrail/core";
import type { GivenContextRules, LoadCheckpointResult, SaveCheckpointResult } from "../context-management-service.ts";
import type { CompressibleContext } from "./context-optimizer.ts";
import type { Condensation, EnhancedContext, LoopChanges } from "./enhanced-context.ts";

export interface LiveContextParams {
  /** Session that checkpoints are saved to. `resume` loads its latest checkpoint. */
  readonly sessionId: string;
  /** Initial entries. Default: none. */
  readonly context?: object | undefined;
  readonly workflowId?: string | undefined;
  readonly agentId?: string | undefined;
  /** Rules that classify entries, and the workflow's phases. Default: the project's rules file, if there is one. */
  readonly contextRules?: GivenContextRules | undefined;
  /** Token limit, at least 500. At 80% of it, entries that are not CRITICAL are condensed. Default: no condensing. */
  readonly maxTokens?: number | undefined;
  /** The current subject. Condensing keeps more of the entries about it. */
  readonly focus?: string | undefined;
  /** True to save a checkpoint at the end of a phase. Default: `WORKRAIL_CHECKPOINT_AUTO_SAVE`, else `true`. */
  readonly autoSave?: boolean | undefined;
  /** Called after condensing. Errors that it throws are logged. */
  readonly onCondensed?: ((condensed: Condensed) => void) | undefined;
  /**
   * Called when condensing in the background failed; the context is then unchanged. Default: the error is logged. Errors that the callback
   * throws are logged too.
   */
  readonly onCondenseFailed?: ((error: unknown) => void) | undefined;
}

/** Result of condensing a context that grew too large. */
export interface Condensed extends Condensation {
  readonly tokensBefore: number;
  /** Exceeds the limit when the CRITICAL entries alone exceed it. */
  readonly tokensAfter: number;
  /** Entries that were shortened or dropped. Entries written to meanwhile are not among them. */
  readonly entries: readonly CondensedEntry[];
}

export interface CondensedEntry {
  readonly key: string;
  readonly layer?: Layer | undefined;
  /** `dropped`: the entry was removed from the context. */
  readonly outcome: "shortened" | "dropped";
}

export interface LiveCheckpointOptions {
  readonly name?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  /** Saves even if nothing changed. Default `false`. */
  readonly force?: boolean | undefined;
}

/**
 * Context of a running workflow, in memory, with the state needed to stop anywhere and continue. Values are copied on the way in, and
 * returned values are frozen.
 */
export interface LiveContext {
  readonly sessionId: string;
  /** The context and the engine's state. An immutable snapshot: changes do not affect it. */
  readonly enhanced: EnhancedContext;
  readonly context: Context;
  get(key: string): JsonValue | undefined;
  /** @throws INVALID_INPUT, as all writing methods, for values that JSON cannot represent. */
  set(key: string, value: unknown): void;
  /** Sets several entries atomically. */
  merge(entries: object): void;
  /** Sets an entry to the result of `change`; `undefined` removes the entry. */
  update(key: string, change: (value: JsonValue | undefined) => unknown): void;
  delete(key: string): void;
  /** Updates the state of loops: see `ContextOptimizer`. */
  mergeLoopState(loopState: LoopChanges): void;
  /** Sets the current step of the phase; `undefined`: none. */
  enterStep(step: string | undefined): void;
  /**
   * Starts a phase. Ends the current phase first, as `endPhase` does.
   *
   * @throws INVALID_INPUT for a phase missing from `contextRules.phases`; errors of saving.
   */
  enterPhase(name: string): Promise<SaveCheckpointResult | undefined>;
  /**
   * Ends a phase and saves a checkpoint marked as its end, unless `autoSave` or the rules disable it. The next of `contextRules.phases`
   * becomes current.
   *
   * When saving fails, the phase has still ended: repeat the call to save.
   *
   * @throws INVALID_INPUT for a phase missing from `contextRules.phases`, and while another phase is current; errors of saving.
   */
  endPhase(name: string): Promise<SaveCheckpointResult | undefined>;
  /** Saves the current state, without later changes. */
  checkpoint(options?: LiveCheckpointOptions): Promise<SaveCheckpointResult>;
  /**
   * Replaces the state by the session's latest checkpoint. Resolves to `undefined`, and changes nothing, when the session has none.
   *
   * @throws errors of loading; INVALID_INPUT and UNSUPPORTED_VERSION for an engine state that cannot be read.
   */
  resume(): Promise<Omit<LoadCheckpointResult, "context"> | undefined>;
  /** Returns the tokens of all entries and the engine state as JSON, accurate to one token for each entry. */
  tokens(): Promise<number>;
  /**
   * Condenses entries that are not CRITICAL to half of `maxTokens` now. Saves the originals first. An entry written to meanwhile keeps its
   * new value. Resolves to `undefined` when nothing was shortened.
   *
   * @throws INVALID_INPUT without `maxTokens`; errors of saving.
   */
  condense(): Promise<Condensed | undefined>;
  /**
   * Returns an entry as it was before it was last condensed.
   *
   * @param checkpointId one of `enhanced.engine.condensed`, for an earlier state. Default: the latest.
   * @returns `undefined` when the entry was not condensed.
   * @throws CHECKPOINT_NOT_FOUND after the original's `validUntil`, or when it was erased.
   */
  original(key: string, checkpointId?: string): Promise<JsonValue | undefined>;
  /** Returns the context that a checkpoint made now would hold. */
  prepare(): CompressibleContext;
  /** Finishes background work. Saves nothing; the store stays open. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
