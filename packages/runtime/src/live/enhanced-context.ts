import type { Context, JsonValue } from "@workrail/core";

/**
 * Data of a workflow engine while a workflow runs: the workflow's context and the engine's state. Immutable: changes share
 * unchanged parts with the previous value, so that a step costs only what it changes.
 */
export interface EnhancedContext {
  readonly context: Context;
  readonly engine: EngineState;
}

/** Position of an engine in its workflow. */
export interface EngineState {
  /** Current phase. */
  readonly phase?: string | undefined;
  /** Current step within the phase. */
  readonly step?: string | undefined;
  /** Ended phases, each once, in the order of their first end. */
  readonly completedPhases: readonly string[];
  /** Active loops by id. */
  readonly loops: { readonly [loopId: string]: LoopState };
  /** Condensed entries and the checkpoints with the originals, oldest first. */
  readonly condensed: readonly Condensation[];
  /** Condensed entries that were written to since. */
  readonly rewritten: readonly string[];
}

/** State of a loop: its iteration and other values of the engine, such as the item, a total, or partial results. */
export interface LoopState {
  /** Current pass, from 0. */
  readonly iteration: number;
  readonly [name: string]: JsonValue;
}

/** Changes to loops; `null` ends a loop. */
export interface LoopChanges {
  readonly [loopId: string]: { readonly [name: string]: JsonValue } | null;
}

/** Entries that were shortened together. */
export interface Condensation {
  /** Checkpoint with the original entries. */
  readonly checkpointId: string;
  /** ISO 8601. The checkpoint is kept until then. */
  readonly validUntil: string;
  readonly keys: readonly string[];
}

export const NO_ENGINE_STATE: EngineState = { completedPhases: [], loops: {}, condensed: [], rewritten: [] };
