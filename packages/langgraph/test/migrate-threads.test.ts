import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import {
  type BaseCheckpointSaver,
  type CheckpointTuple,
  emptyCheckpoint,
  ERROR,
  INTERRUPT,
  MemorySaver,
  uuid6,
} from "@langchain/langgraph-checkpoint";
import { Annotation, Command, END, interrupt, START, StateGraph } from "@langchain/langgraph";
import { noPostgres, type PostgresServer, startPostgres } from "@workrail/faults";
import { openWorkrail } from "@workrail/runtime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { migrateThreads, type ThreadMigration, WorkrailSaver } from "../src/index.ts";
import { freshFolder } from "./fresh-folder.ts";

async function withSaver(test: (saver: WorkrailSaver) => Promise<void>): Promise<void> {
  await using store = await openWorkrail({ dataDir: freshFolder(), env: {}, project: null, upkeep: false });
  await test(new WorkrailSaver(store));
}

async function all(saver: BaseCheckpointSaver, threadId?: string): Promise<readonly CheckpointTuple[]> {
  const tuples: CheckpointTuple[] = [];
  for await (const tuple of saver.list(threadId === undefined ? {} : { configurable: { thread_id: threadId } })) tuples.push(tuple);
  return tuples;
}

/** A tuple without members that savers may leave out or order differently. */
function plain({ config, checkpoint, metadata, parentConfig, pendingWrites = [] }: CheckpointTuple) {
  return { config, checkpoint, metadata, parent: parentConfig, writes: pendingWrites.toSorted(byText) };
}

function byText(one: unknown, other: unknown): number {
  return JSON.stringify(one) < JSON.stringify(other) ? -1 : 1;
}

const State = Annotation.Root({ done: Annotation<string[]>({ reducer: (before, more) => before.concat(more), default: () => [] }) });

/** A graph with a subgraph, which asks before its last step. */
function graphOn(checkpointer: BaseCheckpointSaver) {
  const inner = new StateGraph(State)
    .addNode("inside", () => ({ done: ["inside"] }))
    .addNode("ask", () => ({ done: [String(interrupt("Go on?"))] }))
    .addEdge(START, "inside")
    .addEdge("inside", "ask")
    .addEdge("ask", END)
    .compile();
  return new StateGraph(State)
    .addNode("first", () => ({ done: ["first"] }))
    .addNode("sub", inner)
    .addEdge(START, "first")
    .addEdge("first", "sub")
    .addEdge("sub", END)
    .compile({ checkpointer });
}

function thread(id: string) {
  return { configurable: { thread_id: id } };
}

/** Puts a line of checkpoints, some of which have the ids of another thread's. */
async function putLine(saver: BaseCheckpointSaver, threadId: string, ids: readonly string[]): Promise<void> {
  let config: { configurable: object } = { configurable: { thread_id: threadId, checkpoint_ns: "" } };
  for (const [step, id] of ids.entries()) {
    const checkpoint = { ...emptyCheckpoint(), id, channel_values: { step }, channel_versions: { step: step + 1 } };
    config = (await saver.put(config, checkpoint, { source: "loop", step, parents: {} }, { step: step + 1 })) as typeof config;
  }
  await saver.putWrites(
    config,
    [
      ["step", 7],
      ["step", 8],
      [INTERRUPT, { value: "?" }],
    ],
    "task-1",
  );
  await saver.putWrites(config, [[ERROR, "failed"]], "task-2");
}

function testsOf(open: () => Promise<BaseCheckpointSaver>): void {
  let from: BaseCheckpointSaver;
  beforeAll(async () => {
    from = await open();
    const ids = Array.from({ length: 55 }, (_, index) => uuid6(index));
    for (const id of ["one", "user:42/ä"]) await graphOn(from).invoke({ done: [] }, thread(id));
    await putLine(from, "line", ids);
    await putLine(from, "line 2", ids.slice(45));
    await putLine(from, "line 3", ids.slice(9, 12));
  });

  it("copies every checkpoint with its namespace, parent, metadata and writes, and may be repeated", () =>
    withSaver(async (to) => {
      const told: ThreadMigration[] = [];
      const found = await all(from);
      const counts = await migrateThreads(from, to, { onProgress: (progress) => void told.push(progress) });
      expect(counts).toEqual({ total: found.length, done: found.length, present: 0 });
      expect(told.map(({ done }) => done)).toEqual(found.map((_, index) => index + 1));
      expect((await all(to)).map(plain).toSorted(byText)).toEqual(found.map(plain).toSorted(byText));
      for (const id of ["one", "user:42/ä", "line", "line 2"]) {
        const latest = await from.getTuple(thread(id));
        expect(plain((await to.getTuple(thread(id))) as CheckpointTuple)).toEqual(plain(latest as CheckpointTuple));
      }
      expect(await migrateThreads(from, to)).toEqual({ ...counts, present: found.length });
    }));

  it("lets a graph continue from its interrupt, as before", () =>
    withSaver(async (to) => {
      await migrateThreads(from, to, { threadIds: ["one"] });
      expect(new Set((await all(to)).map(({ config }) => config.configurable?.["thread_id"]))).toEqual(new Set(["one"]));
      const { done } = await graphOn(to).invoke(new Command({ resume: "yes" }), thread("one"));
      expect(done).toEqual(["first", "first", "inside", "yes"]);
      expect((await migrateThreads(from, to, { threadIds: ["one"] })).present).toBeGreaterThan(0);
      expect((await graphOn(to).getState(thread("one"))).next).toEqual([]);
    }));

  it("continues after it was stopped", () =>
    withSaver(async (to) => {
      const stop = new AbortController();
      const onProgress = ({ done }: ThreadMigration): void => void (done === 10 && stop.abort(new Error("stopped")));
      await expect(migrateThreads(from, to, { onProgress, signal: stop.signal })).rejects.toThrow("stopped");
      expect(await all(to)).toHaveLength(10);
      expect(await migrateThreads(from, to)).toMatchObject({ present: 10 });
      expect(await all(to)).toHaveLength((await all(from)).length);
    }));
}

describe("the migration of SqliteSaver", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "workrail-langgraph-"));
  const saver = SqliteSaver.fromConnString(path.join(folder, "old.db"));
  afterAll(() => {
    saver.db.close();
    rmSync(folder, { recursive: true });
  });
  testsOf(async () => saver);
});

describe("the migration of a saver that lists thread by thread", () => {
  testsOf(async () => new MemorySaver());
});

it("a migration keeps the order of the writes of a step", () =>
  withSaver(async (to) => {
    const from = new MemorySaver();
    const config = { configurable: { thread_id: "t", checkpoint_ns: "", checkpoint_id: "1" } };
    await putLine(from, "t", ["1"]);
    for (const [at, taskId] of ["c", "b", "a", "d"].entries()) await from.putWrites(config, [["step", taskId]], taskId, `~path ${at}`);
    await migrateThreads(from, to);
    expect((await to.getTuple(config))?.pendingWrites).toEqual((await from.getTuple(config))?.pendingWrites);
  }));

const missing = noPostgres();

describe.skipIf(missing !== undefined)(`the migration of PostgresSaver${missing === undefined ? "" : `: not run, ${missing}`}`, () => {
  let server: PostgresServer;
  let saver: PostgresSaver;
  beforeAll(async () => {
    server = await startPostgres({ isDurable: false });
  });
  afterAll(async () => {
    await saver.end();
    await server.destroy();
  });
  testsOf(async () => {
    saver = PostgresSaver.fromConnString(server.url());
    await saver.setup();
    return saver;
  });
});
