import { WorkrailError, type Phase } from "@workrail/core";
import type { EngineState } from "./enhanced-context.ts";

/** New state of an engine, and the phase whose end is to be saved. */
export interface PhaseChange {
  readonly engine: EngineState;
  readonly ended?: Phase | undefined;
}

/**
 * Enters a phase. Ends the current phase if it is another one. Entering the current phase changes nothing.
 *
 * @param phases phases of the workflow, if known; others are then refused.
 * @throws INVALID_INPUT for a phase that the workflow does not have.
 */
export function enterPhase(engine: EngineState, name: string, phases: readonly Phase[] | undefined): PhaseChange {
  phaseNamed(name, phases);
  if (engine.phase === name) return { engine };
  const before = engine.phase === undefined ? { engine } : endPhase(engine, engine.phase, phases);
  return { ...before, engine: { ...before.engine, phase: name, step: undefined } };
}

/**
 * Ends a phase: no step is active, and the current phase is the next one of the workflow, if any. Ending the same phase again
 * changes nothing but is saved again, in case the first save failed.
 *
 * @param phases phases of the workflow, if known; others are then refused.
 * @throws INVALID_INPUT for a phase that the workflow does not have, or while another one is active.
 */
export function endPhase(engine: EngineState, name: string, phases: readonly Phase[] | undefined): PhaseChange {
  const ended = phaseNamed(name, phases);
  const isRepeated = engine.phase !== name && engine.completedPhases.includes(name);
  if (isRepeated) return { engine, ended };
  if (engine.phase !== undefined && engine.phase !== name) {
    throw new WorkrailError("INVALID_INPUT", `The current phase is "${engine.phase}", not "${name}".`, {
      details: { field: "phase" },
      hint: "End the current phase, or enter another one.",
    });
  }
  const completedPhases = engine.completedPhases.includes(name) ? engine.completedPhases : [...engine.completedPhases, name];
  const next = phases?.[phases.findIndex((phase) => phase.name === name) + 1]?.name;
  return { engine: { ...engine, completedPhases, phase: next, step: undefined }, ended };
}

function phaseNamed(name: string, phases: readonly Phase[] | undefined): Phase {
  if (typeof name !== "string" || name === "") {
    throw new WorkrailError("INVALID_INPUT", "A phase must have a name.", { details: { field: "phase" } });
  }
  if (phases === undefined) return { name, checkpoint: true };
  const phase = phases.find((each) => each.name === name);
  if (phase !== undefined) return phase;
  const known = phases.map((each) => `"${each.name}"`).join(", ");
  throw new WorkrailError("INVALID_INPUT", `The workflow has no phase "${name.slice(0, 100)}".`, {
    details: { field: "phase" },
    hint: `Its phases, from contextRules.phases, are ${known === "" ? "none" : known}.`,
  });
}
