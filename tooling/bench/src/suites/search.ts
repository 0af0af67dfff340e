import type { Bench } from "../bench.ts";
import { runWorker } from "../run-worker.ts";
import { noteOf } from "../search-text.ts";
import { type Summary, summarize } from "../statistics.ts";
import type { SearchSummary } from "../tasks/compare-search.ts";
import type { FirstSearch } from "../tasks/first-search.ts";
import type { SearchMemory } from "../tasks/search-memory.ts";

export interface SearchRow extends SearchSummary {
  readonly checkpoints: number;
  /** From asking to the answer, right after opening the store in a new process. */
  readonly first: Summary;
  readonly firstCpu: Summary;
  /** What asking took of memory, beyond a store that is in use, and the same without V8's new space: the medians of several processes. */
  readonly memoryBytes: number;
  readonly withoutNewSpaceBytes: number;
}

const SIZES = [1_000, 10_000, 100_000];
const IN_A_SESSION = 50;
const PROJECTS = 20;
/** Characters of the first question: some eight words. */
const FIRST = 60;
/** Of each kind, to a process whose memory is looked at. */
const ALONE = 20;

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
    const first: FirstSearch[] = [];
    for (let opening = 0; opening < (bench.quick ? 5 : 15); opening++) {
      first.push(await runWorker("firstSearch", { dataDir, query: noteOf(opening, 0).slice(0, FIRST) }));
    }
    const memory: SearchMemory[] = [];
    for (let each = 0; each < 3; each++) memory.push(await runWorker("searchMemory", { ...input, questions: ALONE }));
    rows.push({
      checkpoints,
      ...summary,
      first: summarize(first.map(({ ms }) => ms)),
      firstCpu: summarize(first.map(({ cpuMs }) => cpuMs)),
      memoryBytes: summarize(memory.map((each) => each.memoryBytes)).median,
      withoutNewSpaceBytes: summarize(memory.map((each) => each.withoutNewSpaceBytes)).median,
    });
  }
  return rows;
}
