import { DEFAULT_LIMITS, copyOf, checkJson, WorkrailError, type Context, type JsonObject } from "@workrail/core";
import { checkLoops, engineFromJson, engineToJson } from "./engine-json.ts";
import { type EngineState, type EnhancedContext, type LoopChanges, NO_ENGINE_STATE } from "./enhanced-context.ts";

/** Context for a store: the workflow's entries plus the engine's state as another entry. */
export type CompressibleContext = Context;

/** Key of the engine's state in a checkpoint. Its name classifies it as IMPORTANT. */
export const ENGINE_KEY = "workrailEngineState";

/**
 * Conversions between the context that a workflow engine works on and the context that is saved. Pure functions: they change no
 * argument and can be used independently.
 */
export interface ContextOptimizer {
  /**
   * Combines a workflow's context with the engine's state. Omitted `enhancements` have their initial values.
   *
   * @throws INVALID_INPUT for values that JSON cannot hold, and for a context that already contains an engine's state.
   */
  readonly createEnhancedContext: (base: Context, enhancements?: Partial<EngineState>) => EnhancedContext;
  /**
   * Updates the state of loops. Loops that are not named stay unchanged. In a named loop, given values replace those of the same
   * name, never merge with them; other values stay. A new loop begins at iteration 0 by default; `null` ends a loop, and may be
   * repeated.
   *
   * @throws INVALID_INPUT for an iteration that is not a whole number from 0, and for values that JSON cannot hold.
   */
  readonly mergeLoopState: (context: EnhancedContext, loopState: LoopChanges) => EnhancedContext;
  /** Returns the context to save, from which `restoreFromPersistence` restores exactly the same enhanced context. */
  readonly prepareForPersistence: (enhanced: EnhancedContext) => CompressibleContext;
  /**
   * Splits a loaded context. A context saved without an engine gets the initial state.
   *
   * @throws INVALID_INPUT when the engine's state is invalid; UNSUPPORTED_VERSION when a later version wrote it.
   */
  readonly restoreFromPersistence: (compressed: CompressibleContext) => EnhancedContext;
}

export const contextOptimizer: ContextOptimizer = {
  createEnhancedContext: (base, enhancements = {}) => {
    const { hasUndefined } = checkJson(base, DEFAULT_LIMITS);
    if (Object.hasOwn(base, ENGINE_KEY)) {
      throw new WorkrailError("INVALID_INPUT", `The context has an entry "${ENGINE_KEY}", which is reserved for the engine's state.`, {
        details: { field: "context" },
        hint: "Pass a loaded context to restoreFromPersistence, or rename your own entry.",
      });
    }
    const engine = { ...NO_ENGINE_STATE, ...enhancements };
    const json = engineToJson(engine);
    checkJson(json, DEFAULT_LIMITS, "enhancements");
    return { context: hasUndefined ? (copyOf(base) as Context) : base, engine: engineFromJson(json, "enhancements") };
  },

  mergeLoopState: ({ context, engine }, changes) => {
    checkJson(changes, DEFAULT_LIMITS, "loopState");
    const loops = new Map<string, JsonObject>(Object.entries(engine.loops));
    for (const [id, change] of Object.entries(copyOf(changes as JsonObject) as LoopChanges)) {
      if (change === null) loops.delete(id);
      else loops.set(id, { iteration: 0, ...loops.get(id), ...change });
    }
    return { context, engine: { ...engine, loops: checkLoops(Object.fromEntries(loops), "loopState") } };
  },

  prepareForPersistence: ({ context, engine }) => ({ ...context, [ENGINE_KEY]: engineToJson(engine) }),

  restoreFromPersistence: (compressed) => {
    const state = Object.hasOwn(compressed, ENGINE_KEY) ? compressed[ENGINE_KEY] : undefined;
    if (state === undefined) return { context: compressed, engine: NO_ENGINE_STATE };
    const entries = Object.entries(compressed).filter(([key]) => key !== ENGINE_KEY);
    return { context: Object.fromEntries(entries), engine: engineFromJson(state, ENGINE_KEY) };
  },
};
