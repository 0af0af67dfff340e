import fs from "node:fs";
import path from "node:path";
import {
  type BaseCheckpointSaver,
  type Checkpoint,
  type CheckpointListOptions,
  emptyCheckpoint,
  uuid6,
} from "@langchain/langgraph-checkpoint";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { WorkrailSaver } from "@workrail/langgraph";
import Database from "better-sqlite3";
import { alternate, type Comparison, type Effort } from "../alternate.ts";
import { generateContext } from "../generate-context.ts";
import { untilQuiet } from "../rest.ts";
import { NO_LIMIT, openLibrary } from "./open-library.ts";

export interface LanggraphInput {
  readonly directory: string;
  readonly effort: Effort;
}

type Operation = "put" | "put writes" | "latest" | "list 10" | "list 10 with a filter";

export interface LanggraphResult {
  readonly rows: readonly (Comparison & { readonly operation: Operation })[];
  readonly delete: { readonly floorMs: number; readonly measuredMs: number };
  /** Bytes of blocks on the disk. */
  readonly disk: { readonly floorBytes: number; readonly measuredBytes: number };
  readonly checkpointBytes: readonly [first: number, last: number];
}

const STEPS = 200;
const FIRST_BYTES = 100_000;
const MORE_BYTES = 500;
/** One in so many checkpoints is an input. */
const INPUT_EACH = 20;
const THREAD = { configurable: { thread_id: "thread", checkpoint_ns: "" } };

/** Compares our saver for LangGraph with LangGraph's own for SQLite, which here waits for the disk as ours does: `synchronous=FULL`. */
export async function compareLanggraph({ directory, effort }: LanggraphInput): Promise<LanggraphResult> {
  fs.mkdirSync(directory, { recursive: true });
  const [dataDir, file] = [path.join(directory, "store"), path.join(directory, "saver.db")];
  const store = await openLibrary(dataDir, NO_LIMIT);
  const database = new Database(file);
  database.pragma("journal_mode=WAL");
  database.pragma("synchronous=FULL");
  const floor = new Side(new SqliteSaver(database));
  const measured = new Side(new WorkrailSaver(store));
  const checkpoints = threadOf(STEPS);
  const whole = { fewest: STEPS, most: STEPS, forMs: Number.POSITIVE_INFINITY };
  const put = await alternate(whole, {
    floor: () => floor.put(checkpoints),
    measured: () => measured.put(checkpoints),
    rest: untilQuiet,
  });
  await untilQuiet();
  const both = async (operation: Operation, call: (side: Side, sample: number) => unknown) => {
    const turns = { floor: (sample: number) => call(floor, sample), measured: (sample: number) => call(measured, sample) };
    return { operation, ...(await alternate(effort, turns)) };
  };
  const rows = [
    { operation: "put" as const, ...put },
    await both("latest", ({ saver }) => saver.getTuple(THREAD)),
    await both("list 10", (side) => side.list({ limit: 10 })),
    await both("list 10 with a filter", (side) => side.list({ limit: 10, filter: { source: "input" } })),
    // Last, because the latest checkpoint is loaded with its writes.
    await both("put writes", (side, sample) => side.putWrites(sample)),
  ];
  await store.close();
  database.pragma("wal_checkpoint(TRUNCATE)");
  const disk = { floorBytes: bytesOnDisk(file), measuredBytes: bytesOnDisk(dataDir) };
  const again = await openLibrary(dataDir, NO_LIMIT);
  const measuredMs = await timed(() => new WorkrailSaver(again).deleteThread("thread"));
  const floorMs = await timed(() => floor.saver.deleteThread("thread"));
  await again.close();
  database.close();
  const [first, last] = [checkpoints[0], checkpoints[STEPS - 1]].map((each) => JSON.stringify(each).length);
  return { rows, delete: { floorMs, measuredMs }, disk, checkpointBytes: [first ?? 0, last ?? 0] };
}

interface Config {
  readonly configurable: Record<string, unknown>;
}

/** One of the two savers, with the place that it reached in the thread. */
class Side {
  readonly saver: BaseCheckpointSaver;
  #config: Config = THREAD;
  #step = 0;

  constructor(saver: BaseCheckpointSaver) {
    this.saver = saver;
  }

  async put(checkpoints: readonly Checkpoint[]): Promise<void> {
    const step = this.#step++;
    const checkpoint = checkpoints[step] as Checkpoint;
    const metadata = { source: step % INPUT_EACH === 0 ? "input" : "loop", step, parents: {} } as const;
    this.#config = (await this.saver.put(this.#config, checkpoint, metadata, checkpoint.channel_versions)) as Config;
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

/** Checkpoints of one thread, each with a message more than the one before. */
function threadOf(steps: number): readonly Checkpoint[] {
  const context = generateContext(FIRST_BYTES, 1);
  const texts = JSON.stringify(generateContext(MORE_BYTES * (steps + 1), 2));
  const messages: object[] = [];
  // The comparison warms up with some more.
  return Array.from({ length: steps * 2 }, (_, step) => {
    const from = (step % steps) * MORE_BYTES;
    messages.push({ id: `message ${step}`, type: step % 2 === 0 ? "ai" : "tool", content: texts.slice(from, from + MORE_BYTES) });
    const channel_values = { context, messages: [...messages], step };
    const channel_versions = { context: 1, messages: step + 1, step: step + 1 };
    return { ...emptyCheckpoint(), id: uuid6(step), channel_values, channel_versions };
  });
}

async function timed(work: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

const BLOCK_BYTES = 512;

function bytesOnDisk(place: string): number {
  const stats = fs.statSync(place);
  if (!stats.isDirectory()) return stats.blocks * BLOCK_BYTES;
  return fs.readdirSync(place).reduce((sum, name) => sum + bytesOnDisk(path.join(place, name)), 0);
}
