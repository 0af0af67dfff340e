import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { promisify } from "node:util";
import type { Bench } from "../bench.ts";
import { generateContext } from "../generate-context.ts";
import { type Summary, summarize } from "../statistics.ts";
import { lineOf, resultOf, StdioClient } from "../stdio-client.ts";
import { KB } from "./library.ts";
import { CLI, ECHO_SERVER, EMPTY_SERVER, IMPORT_LIBRARY, SERVER } from "./programs.ts";

/** Milliseconds from starting the process to the last byte of an answer. */
export interface ColdStartResult {
  /** Bare Node with a minimal answer. */
  readonly node: Summary;
  /** The protocol's own library as installed, with one empty tool. */
  readonly unbundled: Summary;
  readonly initialize: Summary;
  readonly firstSave: Summary;
  /** Median of `initialize` over that of `unbundled`. */
  readonly ratio: number;
  readonly commands: CommandTimes;
  readonly library: LibraryTimes;
}

/** Milliseconds within a process that has started already. */
export interface LibraryTimes {
  /** Import of better-sqlite3 with its native code, which loads with the first database. */
  readonly sqlite: Summary;
  /** Import of the library as installed. */
  readonly import: Summary;
  /** Import of the library, then opening and closing a store with one checkpoint. */
  readonly open: Summary;
}

/** Milliseconds from starting the process to its end. */
export interface CommandTimes {
  /** Bare Node that does nothing. */
  readonly node: Summary;
  readonly version: Summary;
  readonly help: Summary;
  /** List of a store with one checkpoint. */
  readonly list: Summary;
}

/** Starts the servers in turns, so that other load of the machine affects all equally. */
export async function measureColdStart(bench: Bench): Promise<ColdStartResult> {
  bench.say("cold start");
  const times = { node: [], unbundled: [], initialize: [], firstSave: [] } as Record<
    Exclude<keyof ColdStartResult, "ratio" | "commands" | "library">,
    number[]
  >;
  const dataDir = bench.fresh("cold");
  // The first round fills the system's caches and Node's compile cache, as before a second start.
  for (let round = -1; round < (bench.quick ? 6 : 30); round++) {
    const node = await start(ECHO_SERVER);
    const unbundled = await start(EMPTY_SERVER);
    const ours = await start(SERVER, dataDir);
    if (round < 0) continue;
    times.node.push(node.initialize);
    times.unbundled.push(unbundled.initialize);
    times.initialize.push(ours.initialize);
    times.firstSave.push(ours.firstSave);
  }
  const commands = await measureCommands(bench, dataDir);
  const library = await measureLibrary(bench, dataDir);
  const initialize = summarize(times.initialize);
  const unbundled = summarize(times.unbundled);
  const ratio = initialize.median / unbundled.median;
  return { node: summarize(times.node), unbundled, initialize, firstSave: summarize(times.firstSave), ratio, commands, library };
}

async function measureCommands(bench: Bench, dataDir: string): Promise<CommandTimes> {
  const programs: Readonly<Record<keyof CommandTimes, readonly string[]>> = {
    node: ["--eval", "0"],
    version: [CLI, "--version"],
    help: [CLI, "--help"],
    list: [CLI, "list", "--all-projects", "--data-dir", dataDir],
  };
  const names = Object.keys(programs) as (keyof CommandTimes)[];
  const times = { node: [], version: [], help: [], list: [] } as Record<keyof CommandTimes, number[]>;
  for (let round = -1; round < (bench.quick ? 6 : 30); round++) {
    for (const name of names) {
      const took = await timeOf(programs[name]);
      if (round >= 0) times[name].push(took);
    }
  }
  return Object.fromEntries(names.map((name) => [name, summarize(times[name])])) as unknown as CommandTimes;
}

async function measureLibrary(bench: Bench, dataDir: string): Promise<LibraryTimes> {
  const times = { sqlite: [] as number[], import: [] as number[], open: [] as number[] };
  for (let round = -1; round < (bench.quick ? 6 : 30); round++) {
    const sqlite = await timesOfImport("sqlite");
    const library = await timesOfImport("library", dataDir);
    if (round < 0) continue;
    times.sqlite.push(sqlite.importMs);
    times.import.push(library.importMs);
    times.open.push(library.openMs);
  }
  return { sqlite: summarize(times.sqlite), import: summarize(times.import), open: summarize(times.open) };
}

async function timesOfImport(...args: readonly string[]): Promise<{ readonly importMs: number; readonly openMs: number }> {
  const { stdout } = await promisify(execFile)(process.execPath, [IMPORT_LIBRARY, ...args]);
  return JSON.parse(stdout) as { readonly importMs: number; readonly openMs: number };
}

async function timeOf(args: readonly string[]): Promise<number> {
  const started = performance.now();
  const child = spawn(process.execPath, args, { stdio: "ignore" });
  const [code] = (await once(child, "exit")) as [number | null];
  if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}.`);
  return performance.now() - started;
}

async function start(script: string, dataDir?: string): Promise<{ readonly initialize: number; readonly firstSave: number }> {
  const client = new StdioClient(script, dataDir === undefined ? {} : { WORKRAIL_DATA_DIR: dataDir });
  const greeted = await client.initialize();
  let saved = greeted;
  if (dataDir !== undefined) {
    const input = { sessionId: "session", context: generateContext(KB, 1), force: true };
    saved = await client.send(lineOf({ id: 1, method: "tools/call", params: { name: "workflow_checkpoint_save", arguments: input } }));
    if ((resultOf(saved) as { readonly isError?: boolean }).isError === true) throw new Error("The server refused its first save.");
  }
  await client.close();
  return { initialize: greeted.at - client.startedAt, firstSave: saved.at - client.startedAt };
}
