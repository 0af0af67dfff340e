import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { openWorkrail } from "@workrail/runtime";
import { compareRuns } from "./compare-runs.ts";
import { runEngine } from "./engine-process.ts";

const KILL_AFTER = process.argv[2] ?? "register honey.txt";

const home = await mkdtemp(join(tmpdir(), "workrail-workflow-engine-"));
try {
  const whole = await runEngine(join(home, "whole"));
  console.log(`Uninterrupted: ${whole.done.length} items.`);

  const killed = await runEngine(join(home, "killed"), KILL_AFTER);
  console.log(
    `Killed after "${killed.done.at(-1)}": ${killed.done.length} items, ${killed.result === undefined ? "no result" : "a result"}.`,
  );

  const resumed = await runEngine(join(home, "killed"));
  console.log(`Resumed: ${resumed.done.length} items, from "${resumed.done[0]}".`);

  console.log(`Ends of phases that were saved: ${(await endsOfPhases(join(home, "killed"))).join(", ")}.`);
  const findings = compareRuns({ whole, killed, resumed });
  for (const { says } of findings) console.log(says);
  process.exitCode = findings.every(({ isGood }) => isGood) ? 0 : 1;
} finally {
  await rm(home, { recursive: true, force: true });
}

/** Returns the phases that have ended, oldest first. */
async function endsOfPhases(dataDir: string): Promise<string[]> {
  await using workrail = await openWorkrail({ dataDir, project: null });
  const checkpoints = await workrail.listCheckpoints({ sessionId: "demo", limit: 100 });
  return checkpoints.flatMap(({ phase }) => phase ?? []).toReversed();
}
