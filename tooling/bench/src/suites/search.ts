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

/** What asking took of memory, beyond what a process has that loads: medians of several, in bytes. */
export interface SearchMemory {
  /** Where V8 may only take so much for new objects that loads have it take all of that. */
  readonly heldBytes: number;
  /** Where it takes what it likes for them: now and then twice as much as before, whatever a process does. */
  readonly freeBytes: number;
}

/** From asking to the first answer of a new process, in milliseconds, over all kinds of questions. */
export interface FirstAnswers {
  /** Asked right after opening. */
  readonly atOnce: Summary;
  /** Asked once nothing is left to do after opening. */
  readonly atRest: Summary;
  /** Of the table that the library is compared with, right after opening. */
  readonly floor: Summary;
}

const SIZES = [1_000, 10_000, 100_000];
const IN_A_SESSION = 50;
const PROJECTS = 20;
/** Of each kind, to a process whose memory is looked at. */
const ALONE = 20;
/** Half of V8's room for new objects, in MiB: it has twice this. */
const HOLDING = ["--max-semi-space-size=8"];

/** Questions to stores of different sizes, beside an FTS5 table of the same texts. */
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

/** A process for each answer, in turn, so that whatever else the machine does hits all alike. */
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
