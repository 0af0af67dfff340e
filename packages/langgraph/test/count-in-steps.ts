import { setTimeout } from "node:timers/promises";
import type { RunnableConfig } from "@langchain/core/runnables";
import { Annotation, END, START, StateGraph } from "@langchain/langgraph";
import type { ChannelVersions, Checkpoint, CheckpointMetadata, PendingWrite } from "@langchain/langgraph-checkpoint";
import type { Workrail } from "@workrail/runtime";
import { WorkrailSaver } from "../src/index.ts";

/** Tells of each acknowledged checkpoint and write. */
class TellingSaver extends WorkrailSaver {
  readonly #tell: (line: string) => void;

  constructor(store: Workrail, tell: (line: string) => void) {
    super(store);
    this.#tell = tell;
  }

  // oxlint-disable-next-line eslint/max-params -- LangGraph passes these in this order.
  override async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
  ): Promise<RunnableConfig> {
    const put = await super.put(config, checkpoint, metadata, newVersions);
    const { steps = [] } = checkpoint.channel_values as { steps?: number[] };
    this.#tell(`put ${checkpoint.id} ${steps.length}`);
    return put;
  }

  // oxlint-disable-next-line eslint/max-params -- LangGraph passes these in this order.
  override async putWrites(config: RunnableConfig, writes: PendingWrite[], taskId: string, taskPath?: string): Promise<void> {
    await super.putWrites(config, writes, taskId, taskPath);
    this.#tell(`writes ${config.configurable?.["checkpoint_id"]} ${taskId}`);
  }
}

export interface Count {
  readonly durability: "sync" | "async" | "exit";
  /** Number of steps. */
  readonly count: number;
  /**
   * Gets `begin N` when a step begins, `put ID N` or `writes ID` when a checkpoint with N steps, or writes of one, are acknowledged, and
   * `end` with all steps.
   */
  readonly tell: (line: string) => void;
}

/** Runs a graph that counts in steps, or continues the earlier run that the store has. */
export async function countInSteps(store: Workrail, { durability, count, tell }: Count): Promise<void> {
  const State = Annotation.Root({ steps: Annotation<number[]>({ reducer: (before, more) => before.concat(more), default: () => [] }) });
  const graph = new StateGraph(State)
    .addNode("count", async ({ steps }) => {
      tell(`begin ${steps.length}`);
      await setTimeout(2);
      return { steps: [steps.length] };
    })
    .addEdge(START, "count")
    .addConditionalEdges("count", ({ steps }) => (steps.length < count ? "count" : END))
    .compile({ checkpointer: new TellingSaver(store, tell) });
  const config = { configurable: { thread_id: "counting" }, recursionLimit: 100_000, durability };
  const { next } = await graph.getState(config);
  const { steps } = await graph.invoke(next.length > 0 ? null : { steps: [] }, config);
  tell(`end ${JSON.stringify(steps)}`);
}
