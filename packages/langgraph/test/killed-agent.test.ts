import { spawn } from "node:child_process";
import process from "node:process";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { tally } from "@workrail/faults";
import { openWorkrail } from "@workrail/runtime";
import { expect, it } from "vitest";
import { WorkrailSaver } from "../src/index.ts";
import { type Count, countInSteps } from "./count-in-steps.ts";
import { freshFolder } from "./fresh-folder.ts";

const AGENT = fileURLToPath(new URL("counting-agent.ts", import.meta.url));
/** Kills in each mode. */
const KILLS = Number(process.env["WORKRAIL_AGENT_KILLS"] ?? 1);
/** Steps of the whole run: the last process has some left. */
const STEPS = 20 + 12 * KILLS;

const DURABILITIES: readonly Count["durability"][] = ["sync", "async", "exit"];

it.each(DURABILITIES)("loses no acknowledged step, and continues correctly, when it is killed: %s", async (durability) => {
  const dataDir = freshFolder();
  let acknowledged = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    const told = await runAndKill(dataDir, durability, { steps: 4 + (kill % 5), afterMs: (kill * 7) % 30 });
    const { lost, wrong } = await look(dataDir, told);
    acknowledged += told.length;
    tally({ tries: 1, acknowledged: told.length, lost, wrong });
    expect({ lost, wrong }).toEqual({ lost: 0, wrong: 0 });
  }
  expect(durability === "exit" || acknowledged > 0).toBe(true);
  const told: string[] = [];
  await using store = await openWorkrail({ dataDir, env: {}, project: null });
  await countInSteps(store, { durability, count: STEPS, tell: (line) => told.push(line) });
  const ends = told.filter((line) => line.startsWith("end "));
  expect(ends).toEqual([`end ${JSON.stringify(Array.from({ length: STEPS }, (_, step) => step))}`]);
});

/**
 * Runs the agent in a process, and kills it some time after it began some steps and, except with `exit`, told of something saved. Returns
 * the lines it told, without the beginnings of steps.
 */
async function runAndKill(
  dataDir: string,
  durability: Count["durability"],
  kill: { readonly steps: number; readonly afterMs: number },
): Promise<readonly string[]> {
  const child = spawn(process.execPath, ["--conditions=@workrail/source", AGENT, dataDir, durability, String(STEPS)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const told: string[] = [];
  let begun = 0;
  let doomed = false;
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith("begin ")) begun += 1;
    else told.push(line);
    if (doomed || begun < kill.steps || (durability !== "exit" && told.length === 0)) continue;
    doomed = true;
    void setTimeout(kill.afterMs).then(() => child.kill("SIGKILL"));
  }
  return told;
}

/** Looks for everything that was acknowledged, in another process. */
async function look(dataDir: string, told: readonly string[]): Promise<{ readonly lost: number; readonly wrong: number }> {
  await using store = await openWorkrail({ dataDir, env: {}, project: null });
  const saver = new WorkrailSaver(store);
  let [lost, wrong] = [0, 0];
  for (const [what = "", id = "", value = ""] of told.map((line) => line.split(" "))) {
    const tuple = await saver.getTuple({ configurable: { thread_id: "counting", checkpoint_id: id } });
    if (what === "put" && tuple === undefined) lost += 1;
    if (what === "put" && tuple !== undefined && !counts(tuple.checkpoint.channel_values["steps"], Number(value))) wrong += 1;
    if (what === "writes" && tuple?.pendingWrites?.some(([taskId]) => taskId === value) === false) lost += 1;
  }
  return { lost, wrong };
}

function counts(steps: unknown, length: number): boolean {
  return JSON.stringify(steps ?? []) === JSON.stringify(Array.from({ length }, (_, step) => step));
}
