import type { LiveContext, Workrail } from "@workrail/runtime";
import type { Workflow, WorkflowPhase } from "./workflow.ts";

export interface EngineOptions {
  readonly sessionId: string;
  /** Called after each item, once it is saved. */
  readonly onDone: (phase: string, item: string) => void | Promise<void>;
}

/** Runs a workflow to its end, starting from the state of its session. Resolves to the final context. */
export async function runWorkflow(workrail: Workrail, workflow: Workflow, { sessionId, onDone }: EngineOptions): Promise<object> {
  const contextRules = { phases: workflow.phases.map(({ name }) => name) };
  await using live = workrail.liveContext({ sessionId, workflowId: workflow.id, context: workflow.start, contextRules });
  await live.resume();
  for (const phase of workflow.phases) {
    if (live.enhanced.engine.completedPhases.includes(phase.name)) continue;
    await live.enterPhase(phase.name);
    await runLoop(live, phase, (item) => onDone(phase.name, item));
    // Saves a checkpoint that is marked as the end of the phase.
    await live.endPhase(phase.name);
  }
  return live.context;
}

async function runLoop(live: LiveContext, phase: WorkflowPhase, onDone: (item: string) => void | Promise<void>): Promise<void> {
  const items = phase.items(live);
  const first = live.enhanced.engine.loops[phase.name]?.iteration ?? 0;
  for (let iteration = first; iteration < items.length; iteration++) {
    const item = items[iteration] ?? "";
    live.enterStep(item);
    phase.work(item, live);
    // The item's results and the progress of the loop go into the same checkpoint, so that neither is saved without the other.
    live.mergeLoopState({ [phase.name]: { iteration: iteration + 1 } });
    await live.checkpoint();
    await onDone(item);
  }
  live.mergeLoopState({ [phase.name]: null });
}
