import fs from "node:fs";
import path from "node:path";
import { runWorker } from "../run-worker.ts";
import { ageSaves, HookScene } from "./hook-scene.ts";
import { longTranscript } from "./long-transcript.ts";
import { runOnce } from "./run-once.ts";

/** Cost of the hooks of one session in a day. */
export interface DayOfWork {
  readonly transcriptBytes: number;
  readonly turns: number;
  /** Compactions, including the end. */
  readonly compactions: number;
  /** Runs of hooks. */
  readonly calls: number;
  readonly hooksCpuMs: number;
  readonly hooksBytes: number;
  /** Bytes that wait for the store at the end of the day, if it was not opened. */
  readonly incomingBytes: number;
  readonly saves: number;
  readonly takeInCpuMs: number;
  /** Bytes beyond an empty store, after everything was taken in and compacted. */
  readonly storeBytes: number;
}

const TRANSCRIPT_BYTES = 1_500_000;
const TURNS = 40;
const TURNS_UNTIL_COMPACTION = 7;

/** Simulates a day of work in one session. Each turn ends more than ten minutes after the one before, so that each of them saves. */
export async function measureDay(folder: string, isQuick: boolean): Promise<DayOfWork> {
  const scene = new HookScene(folder);
  const dataDir = path.join(folder, "data");
  const transcript = path.join(folder, "transcript.jsonl");
  const turns = isQuick ? 8 : TURNS;
  const lines = longTranscript({ bytes: (TRANSCRIPT_BYTES * turns) / TURNS, sessionId: scene.sessionId, cwd: scene.project });
  const tally = { calls: 0, cpuMs: 0, compactions: 0 };
  const hook = async (event: string, more: object = {}): Promise<void> => {
    const { cpuMs } = await runOnce(scene.hook(event, dataDir, { transcript_path: transcript, ...more }), true);
    tally.calls++;
    tally.cpuMs += cpuMs;
  };
  await hook("session-start", { source: "startup" });
  for (let turn = 1; turn <= turns; turn++) {
    await hook("user-prompt", { prompt: "Go on." });
    const part = lines.slice(Math.round((lines.length * (turn - 1)) / turns), Math.round((lines.length * turn) / turns));
    fs.appendFileSync(transcript, part.map((line) => `${line}\n`).join(""));
    if (turn > 1) ageSaves(dataDir);
    await hook("stop");
    if (turn % TURNS_UNTIL_COMPACTION > 0) continue;
    tally.compactions++;
    await hook("pre-compact");
    await hook("session-start", { source: "compact" });
  }
  tally.compactions++;
  await hook("session-end");
  const incoming = path.join(dataDir, "incoming");
  const waiting = { hooksBytes: bytesBelow(path.join(dataDir, "hooks")), incomingBytes: bytesBelow(incoming) };
  const saves = fs.readdirSync(incoming).length;
  const { cpuMs: takeInCpuMs } = await runWorker("takeIn", { dataDir });
  const empty = path.join(folder, "empty");
  await runWorker("takeIn", { dataDir: empty });
  const storeBytes = bytesBelow(dataDir) - bytesBelow(path.join(dataDir, "hooks")) - bytesBelow(empty);
  const { calls, cpuMs: hooksCpuMs, compactions } = tally;
  return {
    transcriptBytes: fs.statSync(transcript).size,
    turns,
    compactions,
    calls,
    hooksCpuMs,
    ...waiting,
    saves,
    takeInCpuMs,
    storeBytes,
  };
}

function bytesBelow(folder: string): number {
  const entries = fs.readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return entries.reduce((sum, entry) => sum + fs.statSync(path.join(entry.parentPath, entry.name)).size, 0);
}
