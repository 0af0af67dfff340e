import { spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { emptyCheckpoint } from "@langchain/langgraph-checkpoint";
import { openWorkrail } from "@workrail/runtime";
import { expect, it } from "vitest";
import { WorkrailSaver } from "../src/index.ts";
import { freshFolder } from "./fresh-folder.ts";
import { IS_LONG } from "../../storage-conformance/test/long-form.ts";

const WRITER = fileURLToPath(new URL("thread-writer.ts", import.meta.url));
const EACH = 6;
/** Numbers of processes; `npm run test:faults` starts more. */
const PROCESSES = IS_LONG ? [2, 8] : [2];

it.each(PROCESSES)("%i processes put to one thread, and everything is there", async (processes) => {
  const dataDir = freshFolder();
  await using store = await openWorkrail({ dataDir, env: {}, project: null });
  const saver = new WorkrailSaver(store);
  const thread = { configurable: { thread_id: "shared", checkpoint_ns: "" } };
  await saver.put(thread, { ...emptyCheckpoint(), id: "first" }, { source: "input", step: -1, parents: {} }, {});
  const names = Array.from({ length: processes }, (_, index) => `p${index}`);
  const ends = names.map(async (name) => {
    const args = ["--conditions=@workrail/source", WRITER, dataDir, name, String(EACH)];
    return once(spawn(process.execPath, args, { stdio: ["ignore", "inherit", "inherit"] }), "exit");
  });
  expect(await Promise.all(ends)).toEqual(names.map(() => [0, null]));

  const first = await saver.getTuple({ configurable: { ...thread.configurable, checkpoint_id: "first" } });
  const writes = first?.pendingWrites ?? [];
  const own = writes.filter(([taskId]) => taskId !== "contested").map(([taskId, , value]) => `${taskId} ${String(value)}`);
  expect(own.toSorted()).toEqual(names.flatMap((name) => steps().map((at) => `${name}-${at} ${name} ${at}`)).toSorted());
  expect(writes.filter(([taskId]) => taskId === "contested")).toHaveLength(1);
  for (const name of names) {
    const found = [];
    for await (const tuple of saver.list(thread, { filter: { by: name } })) found.push(tuple);
    expect(found.map(({ checkpoint }) => checkpoint.channel_values)).toEqual(
      steps()
        .map((at) => ({ by: name, at }))
        .toReversed(),
    );
    expect(found.map(({ pendingWrites }) => pendingWrites)).toEqual(
      steps()
        .map((at) => [["task", "at", at]])
        .toReversed(),
    );
    expect(found.map(({ parentConfig }) => parentConfig?.configurable?.["checkpoint_id"])).toEqual([
      ...found.slice(1).map(({ checkpoint }) => checkpoint.id),
      "first",
    ]);
  }
});

function steps(): readonly number[] {
  return Array.from({ length: EACH }, (_, at) => at);
}
