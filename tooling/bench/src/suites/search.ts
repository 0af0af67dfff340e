import type { Bench } from "../bench.ts";
import { runWorker } from "../run-worker.ts";
import { type Summary, summarize } from "../statistics.ts";
import type { SearchSummary } from "../tasks/compare-search.ts";
import { questionsFor, type SearchInput } from "../tasks/search-questions.ts";

export interface SearchRow extends SearchSummary {
  readonly checkpoints: number;
  readonly first: FirstAnswers;
  readonly memory: SearchMemory;
}

/** Memory of searching, beyond that of a process that only loads: medians of several processes, in bytes. */
export interface SearchMemory {
  /** With V8's room for new objects limited, so that loads already use all of it. */
  readonly heldBytes: number;
  /** Without a limit: V8 may double that room at any time, whatever a process does. */
  readonly freeBytes: number;
}

/** Milliseconds from the query to the first answer of a new process, over all kinds of queries. */
export interface FirstAnswers {
  /** Query right after opening. */
  readonly atOnce: Summary;
  /** Query after all background work. */
  readonly atRest: Summary;
  /** The table that the library is compared with, right after opening. */
  readonly floor: Summary;
}

const SIZES = [1_000, 10_000, 100_000];
const IN_A_SESSION = 50;
const PROJECTS = 20;
/** Queries of each kind to processes whose memory is measured. */
const ALONE = 20;
/** Half of V8's room for new objects, in MiB. */
const HOLDING = ["--max-semi-space-size=8"];

/** Measures queries to stores of different sizes, beside an FTS5 table of the same texts. */
export async function measureSearch(bench: Bench): Promise<readonly SearchRow[]> {
  const rows: SearchRow[] = [];
  for (const checkpoints of bench.quick ? SIZES.slice(0, 2) : SIZES) {
    bench.say(`search: a store of ${checkpoints} checkpoints`);
    const dataDir = bench.fresh(`search-${checkpoints}`);
    const sessions = checkpoints / IN_A_SESSION;
    const projects = Array.from({ length: PROJECTS }, (_, index) => `/home/dev/project-${index}`);
    await runWorker("fillStore", { dataDir, sessions, checkpoints: IN_A_SESSION, bytes: 0, atATime: 10, projects });
    const about = { dataDir, sessions, checkpoints: IN_A_SESSION, project: projects[0] as string };
    const input = { ...about, questions: bench.quick ? 30 : 100 };
    const summary = await runWorker("compareSearch", input);
    const memory = await measureMemory({ ...about, questions: ALONE });
    const first = await measureFirst({ ...about, questions: bench.quick ? 1 : 3 });
    rows.push({ checkpoints, ...summary, first, memory });
  }
  return rows;
}

async function measureMemory(input: SearchInput): Promise<SearchMemory> {
  const held: number[] = [];
  const free: number[] = [];
  for (let each = 0; each < 3; each++) {
    held.push(await runWorker("searchMemory", input, HOLDING));
    free.push(await runWorker("searchMemory", input));
  }
  return { heldBytes: summarize(held).median, freeBytes: summarize(free).median };
}

/** Starts a process for each answer, in turns, so that other load of the machine affects all equally. */
async function measureFirst(input: SearchInput): Promise<FirstAnswers> {
  const atOnce: number[] = [];
  const atRest: number[] = [];
  const floor: number[] = [];
  for (const question of questionsFor(input)) {
    const about = { dataDir: input.dataDir, question };
    atOnce.push(await runWorker("firstSearch", { ...about, of: "library", atRest: false }));
    atRest.push(await runWorker("firstSearch", { ...about, of: "library", atRest: true }));
    floor.push(await runWorker("firstSearch", { ...about, of: "table", atRest: false }));
  }
  return { atOnce: summarize(atOnce), atRest: summarize(atRest), floor: summarize(floor) };
}
