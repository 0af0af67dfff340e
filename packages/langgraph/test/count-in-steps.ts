import { setTimeout } from "node:timers/promises";
import type { RunnableConfig } from "@langchain/core/runnables";
import { Annotation, END, START, StateGraph } from "@langchain/langgraph";
import type { Workrail } from "@workrail/runtime";
import { WorkrailSaver } from "../src/index.ts";

/** Tells of each acknowledged checkpoint and write. */
class TellingSaver extends WorkrailSaver {
  readonly #tell: (line: string) => void;

  constructor(store: Workrail, tell: (line: string) => void) {
    super(store);
    this.#tell = tell;
  }

  override async put(...given: Parameters<WorkrailSaver["put"]>): Promise<RunnableConfig> {
    const put = await super.put(...given);
    const [, { id, channel_values: values }] = given;
    const { steps = [] } = values as { steps?: number[] };
    this.#tell(`put ${id} ${steps.length}`);
    return put;
  }

  override async putWrites(...given: Parameters<WorkrailSaver["putWrites"]>): Promise<void> {
    await super.putWrites(...given);
    const [{ configurable }, , taskId] = given;
    this.#tell(`writes ${configurable?.["checkpoint_id"]} ${taskId}`);
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
