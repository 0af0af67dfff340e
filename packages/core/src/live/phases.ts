import type { Phase } from "../classify/context-rules.ts";
import { WorkrailError } from "../errors.ts";
import type { EngineState } from "./enhanced-context.ts";

/** What an engine's state becomes, and the phase of which the end is to be saved. */
export interface PhaseChange {
  readonly engine: EngineState;
  readonly ended?: Phase | undefined;
}

/**
 * The state once a phase is under way. Another one that was under way ends with that. Entering the phase that is under
 * way changes nothing.
 *
 * @param phases the workflow's, when they are known; others are then refused.
 * @throws INVALID_INPUT for a phase that the workflow does not have.
 */
export function enterPhase(engine: EngineState, name: string, phases: readonly Phase[] | undefined): PhaseChange {
  phaseNamed(name, phases);
  if (engine.phase === name) return { engine };
  const before = engine.phase === undefined ? { engine } : endPhase(engine, engine.phase, phases);
  return { ...before, engine: { ...before.engine, phase: name, step: undefined } };
}

/**
 * The state once a phase has ended: no step is under way, and the phase is the next one of the workflow, if there is one.
 * Ending the same phase again changes nothing but is to be saved all the same, in case it could not be the first time.
 *
 * @param phases the workflow's, when they are known; others are then refused.
 * @throws INVALID_INPUT for a phase that the workflow does not have, or while another one is under way.
 */
export function endPhase(engine: EngineState, name: string, phases: readonly Phase[] | undefined): PhaseChange {
  const ended = phaseNamed(name, phases);
  const isRepeated = engine.phase !== name && engine.completedPhases.includes(name);
  if (isRepeated) return { engine, ended };
  if (engine.phase !== undefined && engine.phase !== name) {
    throw new WorkrailError("INVALID_INPUT", `The phase under way is "${engine.phase}", not "${name}".`, {
      details: { field: "phase" },
      hint: "End the phase that is under way, or enter another one.",
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
