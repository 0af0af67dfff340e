import {
  type BaseCheckpointSaver,
  type Checkpoint,
  type CheckpointListOptions,
  emptyCheckpoint,
  uuid6,
} from "@langchain/langgraph-checkpoint";
import { generateContext } from "../generate-context.ts";

export const STEPS = 200;
/** Puts every checkpoint of the thread. */
export const WHOLE = { fewest: STEPS, most: STEPS, forMs: Number.POSITIVE_INFINITY } as const;
export const THREAD = { configurable: { thread_id: "thread", checkpoint_ns: "" } };

const FIRST_BYTES = 100_000;
const MORE_BYTES = 500;
/** One in so many checkpoints is an input. */
const INPUT_EACH = 20;

interface Config {
  readonly configurable: Record<string, unknown>;
}

/** One of two savers, with the place that it reached in the thread. */
export class LanggraphSide {
  readonly saver: BaseCheckpointSaver;
  #config: Config = THREAD;
  #step = 0;

  constructor(saver: BaseCheckpointSaver) {
    this.saver = saver;
  }

  /** Returns a side that puts another thread. */
  ofThread(id: string): LanggraphSide {
    const side = new LanggraphSide(this.saver);
    side.#config = { configurable: { thread_id: id, checkpoint_ns: "" } };
    return side;
  }

  async put(checkpoints: readonly Checkpoint[]): Promise<void> {
    const step = this.#step++;
    const checkpoint = checkpoints[step] as Checkpoint;
    const metadata = { source: step % INPUT_EACH === 0 ? "input" : "loop", step, parents: {} } as const;
    // A graph names the channels that changed.
    const versions = Object.entries(checkpoint.channel_versions).filter(([, version]) => version === step + 1);
    this.#config = (await this.saver.put(this.#config, checkpoint, metadata, Object.fromEntries(versions))) as Config;
  }

  async putWrites(sample: number): Promise<void> {
    await this.saver.putWrites(this.#config, [["messages", { content: "an answer of a tool ".repeat(25) }]], `task ${sample}`);
  }

  async list(options: CheckpointListOptions): Promise<number> {
    let found = 0;
    for await (const _ of this.saver.list(THREAD, options)) found += 1;
    return found;
  }
}

/** Checkpoints of one thread, each with a message more than the one before. Half of the last one is a channel that never changes. */
export function threadOf(steps: number): readonly Checkpoint[] {
  const context = generateContext(FIRST_BYTES, 1);
  const messageOf = messagesFor(steps);
  const messages: object[] = [];
  // The comparison warms up with some more.
  return Array.from({ length: steps * 2 }, (_, step) => {
    messages.push(messageOf(step));
    const channel_values = { context, messages: [...messages], step };
    const channel_versions = { context: 1, messages: step + 1, step: step + 1 };
    return { ...emptyCheckpoint(), id: uuid6(step), channel_values, channel_versions };
  });
}

/** Checkpoints of one thread that are as large as those of `threadOf`, and all messages: the channel that an agent's graph grows. */
export function threadOfMessages(steps: number): readonly Checkpoint[] {
  const messageOf = messagesFor(steps);
  const messages = Array.from({ length: FIRST_BYTES / MORE_BYTES }, (_, index) => messageOf(index));
  return Array.from({ length: steps * 2 }, (_, step) => {
    messages.push(messageOf(messages.length));
    const channel_versions = { messages: step + 1, step: step + 1 };
    return { ...emptyCheckpoint(), id: uuid6(step), channel_values: { messages: [...messages], step }, channel_versions };
  });
}

function messagesFor(steps: number): (index: number) => object {
  const texts = JSON.stringify(generateContext(MORE_BYTES * (steps + 1), 2));
  return (index) => {
    const from = (index % steps) * MORE_BYTES;
    return { id: `message ${index}`, type: index % 2 === 0 ? "ai" : "tool", content: texts.slice(from, from + MORE_BYTES) };
  };
}
