// A program that uses the library with a type of its own for its state. It is compiled, not run.
import { openWorkrail } from "@workrail/runtime";

interface State {
  readonly goal: string;
  readonly done: readonly string[];
}

export async function resume(): Promise<string> {
  await using store = await openWorkrail({ settings: { maxCheckpoints: 10 } });
  const state: State = { goal: "a", done: [] };
  const { checkpointId } = await store.saveCheckpoint({ sessionId: "a", context: state });
  const { context } = await store.loadCheckpoint<State>({ checkpointId });
  // @ts-expect-error The state has no such entry.
  void context.missing;
  const { checkpoints } = await store.loadCheckpoints<State>({ ids: [checkpointId] });
  return checkpoints.map((each) => each.context.done.join()).join() + context.goal;
}
