import { WorkrailError } from "../errors.ts";
import { checkJson } from "../json/check-json.ts";
import { copyOf } from "../json/with-members.ts";
import type { Context, JsonObject } from "../model/context.ts";
import { DEFAULT_LIMITS } from "../model/limits.ts";
import { checkLoops, engineFromJson, engineToJson } from "./engine-json.ts";
import { type EngineState, type EnhancedContext, type LoopChanges, NO_ENGINE_STATE } from "./enhanced-context.ts";

/** A context that a store takes: the workflow's entries, then the engine's state as one more. */
export type CompressibleContext = Context;

/** The entry that holds an engine's state in a checkpoint. Its name makes it IMPORTANT. */
export const ENGINE_KEY = "workrailEngineState";

/**
 * What stands between the context that a workflow engine works on and the one that is saved. Pure functions: nothing given
 * is changed, and each may be used by itself.
 */
export interface ContextOptimizer {
  /**
   * A workflow's context together with where its engine is. What `enhancements` leaves out is as at the beginning.
   *
   * @throws INVALID_INPUT for what JSON cannot hold, and for a context that holds an engine's state already.
   */
  readonly createEnhancedContext: (base: Context, enhancements?: Partial<EngineState>) => EnhancedContext;
  /**
   * Says where loops are. Those that are not named stay as they are. Of one that is named, what is given replaces what was
   * there under the same name, and the rest stays; values are replaced, never merged. A new loop begins at iteration 0
   * unless told otherwise; `null` ends one, and may be repeated.
   *
   * @throws INVALID_INPUT for an iteration that is not a whole number from 0, and for what JSON cannot hold.
   */
  readonly mergeLoopState: (context: EnhancedContext, loopState: LoopChanges) => EnhancedContext;
  /** What to save, so that `restoreFromPersistence` gives the very same enhanced context. */
  readonly prepareForPersistence: (enhanced: EnhancedContext) => CompressibleContext;
  /**
   * Takes a loaded context apart again. One that was saved without an engine is at its beginning.
   *
   * @throws INVALID_INPUT when the engine's state is not as it was written; UNSUPPORTED_VERSION when a later version wrote it.
   */
  readonly restoreFromPersistence: (compressed: CompressibleContext) => EnhancedContext;
}

export const contextOptimizer: ContextOptimizer = {
  createEnhancedContext: (base, enhancements = {}) => {
    const { hasUndefined } = checkJson(base, DEFAULT_LIMITS);
    if (Object.hasOwn(base, ENGINE_KEY)) {
      throw new WorkrailError("INVALID_INPUT", `The context has an entry "${ENGINE_KEY}", where the engine's state is kept.`, {
        details: { field: "context" },
        hint: "Give a context that was loaded to restoreFromPersistence; name an entry of your own otherwise.",
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
