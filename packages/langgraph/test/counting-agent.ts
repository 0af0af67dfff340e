// A graph that counts in steps, for a test that kills it. Arguments: the directory of the store, the durability, and the number of steps.
// Prints `begin N` when a step begins, and `put ID N` or `writes ID` when a checkpoint with N steps, or writes of one, are acknowledged.
import { writeSync } from "node:fs";
import process from "node:process";
import { setTimeout } from "node:timers/promises";
import type { RunnableConfig } from "@langchain/core/runnables";
import { Annotation, END, START, StateGraph } from "@langchain/langgraph";
import type { ChannelVersions, Checkpoint, CheckpointMetadata, PendingWrite } from "@langchain/langgraph-checkpoint";
import { openWorkrail } from "@workrail/runtime";
import { WorkrailSaver } from "../src/index.ts";

class TellingSaver extends WorkrailSaver {
  // oxlint-disable-next-line eslint/max-params -- LangGraph passes these in this order.
  override async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
  ): Promise<RunnableConfig> {
    const put = await super.put(config, checkpoint, metadata, newVersions);
    const { steps = [] } = checkpoint.channel_values as { steps?: number[] };
    tell(`put ${checkpoint.id} ${steps.length}`);
    return put;
  }

  // oxlint-disable-next-line eslint/max-params -- LangGraph passes these in this order.
  override async putWrites(config: RunnableConfig, writes: PendingWrite[], taskId: string, taskPath?: string): Promise<void> {
    await super.putWrites(config, writes, taskId, taskPath);
    tell(`writes ${config.configurable?.["checkpoint_id"]} ${taskId}`);
  }
}

function tell(line: string): void {
  writeSync(1, `${line}\n`);
}

const [dataDir = "", durability = "sync", count = "0"] = process.argv.slice(2);
const store = await openWorkrail({ dataDir, env: {}, project: null });
const State = Annotation.Root({ steps: Annotation<number[]>({ reducer: (before, more) => before.concat(more), default: () => [] }) });
const graph = new StateGraph(State)
  .addNode("count", async ({ steps }) => {
    tell(`begin ${steps.length}`);
    await setTimeout(2);
    return { steps: [steps.length] };
  })
  .addEdge(START, "count")
  .addConditionalEdges("count", ({ steps }) => (steps.length < Number(count) ? "count" : END))
  .compile({ checkpointer: new TellingSaver(store) });
const config = { configurable: { thread_id: "counting" }, recursionLimit: 100_000, durability: durability as "sync" | "async" | "exit" };
const { next } = await graph.getState(config);
const { steps } = await graph.invoke(next.length > 0 ? null : { steps: [] }, config);
tell(`end ${JSON.stringify(steps)}`);
await store.close();
