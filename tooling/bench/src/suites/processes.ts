import type { Bench } from "../bench.ts";
import { Worker } from "../run-worker.ts";
import { type Summary, summarize } from "../statistics.ts";
import type { PartInput, PartResult } from "../tasks/take-part.ts";
import { KB } from "./library.ts";

export interface ProcessesRow {
  readonly operation: "save" | "load";
  readonly contextBytes: number;
  readonly processes: number;
  /** `one`: all save to the same session; `own`: each to its own. */
  readonly sessions: "own" | "one";
  readonly floor: Crowd;
  readonly measured: Crowd;
  /** Calls per second over the floor's. */
  readonly throughputRatio: number;
}

/** Combined result of several processes. Times are milliseconds. */
export interface Crowd extends Summary {
  readonly perSecond: number;
  readonly cpuMs: number;
}

const ROUNDS = 3;

type Work = Pick<ProcessesRow, "operation" | "contextBytes" | "processes" | "sessions">;

/** Measures several processes on one store at the same time; rounds of the floor and the library alternate. */
export async function measureProcesses(bench: Bench): Promise<readonly ProcessesRow[]> {
  const rows: ProcessesRow[] = [];
  for (const work of works(bench.quick)) {
    bench.say(`processes: ${work.processes} x ${work.operation} of ${work.contextBytes / KB} KB, ${work.sessions} session`);
    rows.push(await measure(bench, work));
  }
  return rows;
}

function works(quick: boolean): readonly Work[] {
  const crowds = [1, 4, 16];
  const small = crowds.map((processes): Work => ({ operation: "save", contextBytes: KB, processes, sessions: "own" }));
  const loads = crowds.map((processes): Work => ({ operation: "load", contextBytes: KB, processes, sessions: "own" }));
  if (quick) return [...small, ...loads];
  const large = crowds.map((processes): Work => ({ operation: "save", contextBytes: 100 * KB, processes, sessions: "own" }));
  return [...small, { operation: "save", contextBytes: KB, processes: 16, sessions: "one" }, ...large, ...loads];
}

async function measure(bench: Bench, work: Work): Promise<ProcessesRow> {
  const directory = bench.fresh("processes");
  const rounds: { readonly floor: PartResult[][]; readonly library: PartResult[][] } = { floor: [], library: [] };
  for (let round = 0; round < (bench.quick ? 1 : ROUNDS); round++) {
    for (const side of ["floor", "library"] as const)
      rounds[side].push(await playRound(directory, work, { side, count: callsEach(bench, work) }));
  }
  const floor = crowd(rounds.floor);
  const measured = crowd(rounds.library);
  return { ...work, floor, measured, throughputRatio: measured.perSecond / floor.perSecond };
}

function callsEach({ quick }: Bench, { operation, contextBytes, processes }: Work): number {
  const all = (quick ? 320 : 1_280) * (operation === "load" ? 4 : 1) * (contextBytes > KB ? 0.25 : 1);
  return Math.ceil(all / processes);
}

async function playRound(directory: string, work: Work, part: Pick<PartInput, "side" | "count">): Promise<PartResult[]> {
  const { operation, contextBytes: bytes } = work;
  const workers = Array.from({ length: work.processes }, (_, number) => {
    const sessionId = work.sessions === "one" ? "session" : `session-${number}`;
    return new Worker("takePart", { directory, operation, sessionId, seed: number + 1, bytes, ...part });
  });
  await Promise.all(workers.map((worker) => worker.ready));
  for (const worker of workers) worker.begin();
  return Promise.all(workers.map((worker) => worker.result));
}

function crowd(rounds: readonly (readonly PartResult[])[]): Crowd {
  const parts = rounds.flat();
  const times = parts.flatMap((part) => part.times);
  const seconds = rounds.map(
    (round) => (Math.max(...round.map((part) => part.ended)) - Math.min(...round.map((part) => part.began))) / 1_000,
  );
  return {
    ...summarize(times),
    perSecond: times.length / seconds.reduce((sum, each) => sum + each, 0),
    cpuMs: parts.reduce((sum, part) => sum + part.cpuMs, 0) / times.length,
  };
}
