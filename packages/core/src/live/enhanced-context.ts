import type { Context, JsonValue } from "../model/context.ts";

/**
 * What a workflow engine holds while a workflow runs: the workflow's own context, and where the engine is in it. Never
 * changed in place: what a change leaves alone is shared with what was there before, so that a step costs what it changes.
 */
export interface EnhancedContext {
  readonly context: Context;
  readonly engine: EngineState;
}

/** Where an engine is in its workflow. */
export interface EngineState {
  /** The phase under way. */
  readonly phase?: string | undefined;
  /** The step under way, within the phase. */
  readonly step?: string | undefined;
  /** Phases that ended, each once, in the order in which they first did. */
  readonly completedPhases: readonly string[];
  /** Loops under way, by their ids. */
  readonly loops: { readonly [loopId: string]: LoopState };
  /** What was condensed, and where the originals are; the oldest first. */
  readonly condensed: readonly Condensation[];
  /** Entries that were condensed and have been written to since. */
  readonly rewritten: readonly string[];
}

/** Where a loop is, and whatever else its engine wants to find again: the item, a total, results so far. */
export interface LoopState {
  /** The pass under way, from 0. */
  readonly iteration: number;
  readonly [name: string]: JsonValue;
}

/** What becomes of loops: `null` ends one. */
export interface LoopChanges {
  readonly [loopId: string]: { readonly [name: string]: JsonValue } | null;
}

/** Entries that were shortened in one go. */
export interface Condensation {
  /** The checkpoint that holds them as they were. */
  readonly checkpointId: string;
  /** ISO 8601. Until then the checkpoint is kept. */
  readonly validUntil: string;
  readonly keys: readonly string[];
}

export const NO_ENGINE_STATE: EngineState = { completedPhases: [], loops: {}, condensed: [], rewritten: [] };
