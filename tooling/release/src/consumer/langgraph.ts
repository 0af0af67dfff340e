// A program that uses @workrail/langgraph as its users would. It is compiled, not run.
import { type BaseCheckpointSaver, type CheckpointTuple, emptyCheckpoint } from "@langchain/langgraph-checkpoint";
import { WorkrailSaver } from "@workrail/langgraph";
import { openWorkrail } from "@workrail/runtime";

export async function latest(): Promise<CheckpointTuple | undefined> {
  await using store = await openWorkrail();
  const saver: BaseCheckpointSaver = new WorkrailSaver(store);
  const thread = { configurable: { thread_id: "invoices" } };
  await saver.put(thread, emptyCheckpoint(), { source: "input", step: -1, parents: {} }, {});
  // @ts-expect-error A saver needs a store.
  void new WorkrailSaver({});
  return saver.getTuple(thread);
}
