import fs from "node:fs";
import path from "node:path";
import type { Bench } from "../bench.ts";
import { type DayOfWork, measureDay } from "../hooks/day-of-work.ts";
import { ageSaves, HookScene, prepare } from "../hooks/hook-scene.ts";
import { longTranscript } from "../hooks/long-transcript.ts";
import { type Ended, type OneRun, runOnce } from "../hooks/run-once.ts";
import { type Summary, summarize } from "../statistics.ts";
import { CLI, NOTHING } from "./programs.ts";

export interface HooksResult {
  readonly transcriptBytes: number;
  readonly rows: readonly HookRow[];
  readonly day: DayOfWork;
}

/** One kind of call, from the start of the process to the end of its output. Times are in milliseconds. */
export interface HookRow extends Summary {
  readonly call: string;
  readonly min: number;
  readonly cpuMs: number;
  /** Over bare Node: medians, and the quickest of each. */
  readonly ratio: number;
  readonly minRatio: number;
  readonly atMost: number | undefined;
}

const TRANSCRIPT_BYTES = 5_200_000;
const MORE_BYTES = 188_000;
const MOST_PORTIONS = 4;
const [FIRST, LATER, START] = [3, 2, 5];

interface Call {
  readonly name: string;
  readonly atMost?: number;
  /** Data directory that earlier hooks left; `undefined`: none. */
  readonly left?: string | undefined;
  /** @param dataDir contains the leftovers, and may be changed. */
  readonly run: (dataDir: string) => OneRun;
  /** The hook must print a text for the model. */
  readonly tells?: boolean;
}

/** Runs the kinds of calls in turn, so that other load of the machine affects all of them. */
export async function measureHooks(bench: Bench): Promise<HooksResult> {
  bench.say("hooks");
  const calls = await makeCalls(bench);
  const wall = await inTurn(calls, { bench, rounds: bench.quick ? 6 : 25, withCpu: false });
  const cpu = await inTurn(calls, { bench, rounds: bench.quick ? 3 : 9, withCpu: true });
  const bare = summarize(wall[0]?.map(({ ms }) => ms) ?? []);
  const least = Math.min(...(wall[0]?.map(({ ms }) => ms) ?? []));
  const rows = calls.map(({ name, atMost }, index): HookRow => {
    const times = wall[index]?.map(({ ms }) => ms) ?? [];
    const summary = summarize(times);
    const min = Math.min(...times);
    const cpuMs = summarize(cpu[index]?.map((each) => each.cpuMs) ?? []).median;
    return { call: name, ...summary, min, cpuMs, ratio: summary.median / bare.median, minRatio: min / least, atMost };
  });
  bench.say("hooks: a day of work");
  return { transcriptBytes: TRANSCRIPT_BYTES, rows, day: await measureDay(bench.fresh("day"), bench.quick) };
}

interface Rounds {
  readonly bench: Bench;
  readonly rounds: number;
  readonly withCpu: boolean;
}

/** The first round does not count: it fills the system's caches and Node's compile cache. */
async function inTurn(calls: readonly Call[], { bench, rounds, withCpu }: Rounds): Promise<readonly (readonly Ended[])[]> {
  const all = calls.map((): Ended[] => []);
  for (let round = -1; round < rounds; round++) {
    for (const [index, { name, left, run, tells = false }] of calls.entries()) {
      const dataDir = bench.fresh("data");
      if (left !== undefined) fs.cpSync(left, dataDir, { recursive: true, preserveTimestamps: true });
      const ended = await runOnce(run(dataDir), withCpu);
      if (tells && !ended.output.includes("workrail-resume")) throw new Error(`${name} told the model nothing.`);
      fs.rmSync(dataDir, { recursive: true, force: true });
      if (round >= 0) all[index]?.push(ended);
    }
  }
  return all;
}

async function makeCalls(bench: Bench): Promise<readonly Call[]> {
  const scene = new HookScene(bench.fresh("scene"));
  const { begun, grown } = writeTranscripts(bench.fresh("transcripts"), scene);
  const once = await leave(bench, undefined, (dataDir) => prepare(scene.hook("stop", dataDir, begun)));
  const due = await leave(bench, once, async (dataDir) => ageSaves(dataDir));
  // A long conversation is saved in portions.
  const whole = await leave(bench, once, async (dataDir) => {
    for (let portion = 0; portion < MOST_PORTIONS; portion++) await prepare(scene.hook("pre-compact", dataDir, begun));
  });
  const next = { session_id: "a-new-session", transcript_path: path.join(path.dirname(begun.transcript_path), "a-new-session.jsonl") };
  const hook =
    (event: string, payload: object) =>
    (dataDir: string): OneRun =>
      scene.hook(event, dataDir, payload);
  return [
    { name: "bare Node", run: () => scene.bare([NOTHING]) },
    { name: "--version", run: () => scene.bare([CLI, "--version"]) },
    { name: "stop, first call", atMost: FIRST, run: hook("stop", begun) },
    { name: "stop, second call", atMost: LATER, left: once, run: hook("stop", begun) },
    { name: "stop, 188 KB more, not due", atMost: LATER, left: once, run: hook("stop", grown) },
    { name: "stop, 188 KB more, due", atMost: LATER, left: due, run: hook("stop", grown) },
    {
      name: "the same, by a socket",
      atMost: LATER,
      left: due,
      run: (dataDir) => ({ ...scene.hook("stop", dataDir, grown), stdin: "socket" }),
    },
    { name: "user-prompt", atMost: LATER, left: once, run: hook("user-prompt", begun) },
    { name: "pre-compact, first: 4 MB of it", left: once, run: hook("pre-compact", grown) },
    { name: "pre-compact, 188 KB more", atMost: LATER, left: whole, run: hook("pre-compact", grown) },
    { name: "session-end, 188 KB more", atMost: LATER, left: whole, run: hook("session-end", grown) },
    { name: "session-start, startup", atMost: START, left: whole, run: hook("session-start", { ...next, source: "startup" }), tells: true },
    {
      name: "session-start, compact",
      atMost: START,
      left: whole,
      run: hook("session-start", { ...begun, source: "compact" }),
      tells: true,
    },
    { name: "statusline", left: whole, run: (dataDir) => scene.call(["statusline"], dataDir) },
  ];
}

interface Transcript {
  readonly transcript_path: string;
}

/** The same session in two folders: unchanged, and with some more turns. */
function writeTranscripts(
  folder: string,
  { sessionId, project: cwd }: HookScene,
): { readonly begun: Transcript; readonly grown: Transcript } {
  const lines = longTranscript({ bytes: TRANSCRIPT_BYTES + MORE_BYTES, sessionId, cwd }).map((line) => `${line}\n`);
  const write = (name: string, bytes: number): Transcript => {
    const file = path.join(folder, name, `${sessionId}.jsonl`);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    let size = 0;
    const taken = lines.filter((line) => (size += Buffer.byteLength(line)) <= bytes);
    fs.writeFileSync(file, taken.join(""));
    return { transcript_path: file };
  };
  return { begun: write("begun", TRANSCRIPT_BYTES), grown: write("grown", Infinity) };
}

/** A copy of a data directory, changed by a run. */
async function leave(bench: Bench, before: string | undefined, act: (dataDir: string) => Promise<unknown>): Promise<string> {
  const dataDir = bench.fresh("left");
  if (before !== undefined) fs.cpSync(before, dataDir, { recursive: true, preserveTimestamps: true });
  await act(dataDir);
  return dataDir;
}
