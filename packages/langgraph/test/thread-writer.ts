// Puts checkpoints to one thread beside other processes. Arguments: the directory of the store, a name, and the number of checkpoints.
import process from "node:process";
import { emptyCheckpoint, uuid6 } from "@langchain/langgraph-checkpoint";
import { openWorkrail } from "@workrail/runtime";
import { WorkrailSaver } from "../src/index.ts";

const [dataDir = "", name = "", count = "0"] = process.argv.slice(2);
await using store = await openWorkrail({ dataDir, env: {}, project: null });
const saver = new WorkrailSaver(store);
const shared = { configurable: { thread_id: "shared", checkpoint_ns: "", checkpoint_id: "first" } };
let parent = shared;
for (let at = 0; at < Number(count); at++) {
  const checkpoint = { ...emptyCheckpoint(), id: uuid6(at), channel_values: { by: name, at }, channel_versions: { by: 1, at: at + 1 } };
  const metadata = { source: "loop", step: at, parents: {}, by: name } as const;
  const [put] = await Promise.all([
    saver.put(parent, checkpoint, metadata, { at: at + 1 }),
    saver.putWrites(shared, [["by", `${name} ${at}`]], `${name}-${at}`),
    // Every process writes this one: the first stays.
    saver.putWrites(shared, [["by", name]], "contested"),
  ]);
  await saver.putWrites(put, [["at", at]], "task");
  parent = put as typeof shared;
}
