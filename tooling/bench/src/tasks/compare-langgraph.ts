import fs from "node:fs";
import path from "node:path";
import type { Checkpoint } from "@langchain/langgraph-checkpoint";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { WorkrailSaver } from "@workrail/langgraph";
import Database from "better-sqlite3";
import { alternate, type Comparison, type Effort } from "../alternate.ts";
import { untilQuiet } from "../rest.ts";
import { LanggraphSide, STEPS, THREAD, threadOf, WHOLE } from "./langgraph-side.ts";
import { NO_LIMIT, openLibrary } from "./open-library.ts";

export interface LanggraphInput {
  readonly directory: string;
  readonly effort: Effort;
}

type Operation =
  | "put"
  | "put writes"
  | "latest"
  | "list 10"
  | "list 10 with a filter"
  | "delete a thread"
  | "delete a thread with a write at each step";

export interface LanggraphResult {
  readonly rows: readonly (Comparison & { readonly operation: Operation })[];
  /** Bytes of blocks on the disk. */
  readonly disk: { readonly floorBytes: number; readonly measuredBytes: number };
  readonly checkpointBytes: readonly [first: number, last: number];
}

/** Compares our saver for LangGraph with LangGraph's own for SQLite, which here waits for the disk as ours does: `synchronous=FULL`. */
export async function compareLanggraph({ directory, effort }: LanggraphInput): Promise<LanggraphResult> {
  fs.mkdirSync(directory, { recursive: true });
  const [dataDir, file] = [path.join(directory, "store"), path.join(directory, "saver.db")];
  const store = await openLibrary(dataDir, NO_LIMIT);
  const database = new Database(file);
  database.pragma("journal_mode=WAL");
  database.pragma("synchronous=FULL");
  const floor = new LanggraphSide(new SqliteSaver(database));
  const measured = new LanggraphSide(new WorkrailSaver(store));
  const checkpoints = threadOf(STEPS);
  const put = await alternate(WHOLE, {
    floor: () => floor.put(checkpoints),
    measured: () => measured.put(checkpoints),
    rest: untilQuiet,
  });
  await untilQuiet();
  const both = async (operation: Operation, call: (side: LanggraphSide, sample: number) => unknown) => {
    const turns = { floor: (sample: number) => call(floor, sample), measured: (sample: number) => call(measured, sample) };
    return { operation, ...(await alternate(effort, turns)) };
  };
  const rows: LanggraphResult["rows"][number][] = [
    { operation: "put", ...put },
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
  const sides = { floor, measured: new LanggraphSide(new WorkrailSaver(again)) };
  rows.push(
    { operation: "delete a thread", ...(await deleteThreads(sides, checkpoints, false)) },
    { operation: "delete a thread with a write at each step", ...(await deleteThreads(sides, checkpoints, true)) },
  );
  await again.close();
  database.close();
  const [first, last] = [checkpoints[0], checkpoints[STEPS - 1]].map((each) => JSON.stringify(each).length);
  return { rows, disk, checkpointBytes: [first ?? 0, last ?? 0] };
}

/** Threads that are deleted, one after another. */
const DELETED = { fewest: 6, most: 6, forMs: Number.POSITIVE_INFINITY };

async function deleteThreads(
  { floor, measured }: Readonly<Record<"floor" | "measured", LanggraphSide>>,
  checkpoints: readonly Checkpoint[],
  withWrites: boolean,
): Promise<Comparison> {
  const threadIn = (sample: number): string => `thread ${sample}, ${withWrites ? "with" : "without"} writes`;
  const turn = (side: LanggraphSide) => (sample: number) => side.saver.deleteThread(threadIn(sample));
  let last = -1;
  const before = async (sample: number): Promise<void> => {
    if (sample === last) return;
    last = sample;
    for (const side of [floor.ofThread(threadIn(sample)), measured.ofThread(threadIn(sample))]) {
      for (let step = 0; step < STEPS; step++) {
        await side.put(checkpoints);
        if (withWrites) await side.putWrites(step);
      }
    }
    await untilQuiet();
  };
  return alternate(DELETED, { floor: turn(floor), measured: turn(measured), before });
}

const BLOCK_BYTES = 512;

function bytesOnDisk(place: string): number {
  const stats = fs.statSync(place);
  if (!stats.isDirectory()) return stats.blocks * BLOCK_BYTES;
  return fs.readdirSync(place).reduce((sum, name) => sum + bytesOnDisk(path.join(place, name)), 0);
}
