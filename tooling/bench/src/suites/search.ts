import type { Bench } from "../bench.ts";
import { runWorker } from "../run-worker.ts";
import { noteOf } from "../search-text.ts";
import { type Summary, summarize } from "../statistics.ts";
import type { SearchSummary } from "../tasks/compare-search.ts";

export interface SearchRow extends SearchSummary {
  readonly checkpoints: number;
  /** From asking to the answer, right after opening the store in a new process. */
  readonly first: Summary;
  /** What asking took of memory, beyond an open store: the median of several processes. */
  readonly memoryBytes: number;
}

const SIZES = [1_000, 10_000, 100_000];
const IN_A_SESSION = 50;
const PROJECTS = 20;
/** Characters of the first question: some eight words. */
const FIRST = 60;
/** Of each kind, to a process that does nothing else. */
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
    const first: number[] = [];
    const memory: number[] = [];
    for (let opening = 0; opening < (bench.quick ? 5 : 11); opening++) {
      const alone = await runWorker("searchAlone", { ...input, questions: ALONE, first: noteOf(opening, 0).slice(0, FIRST) });
      first.push(alone.firstMs);
      memory.push(alone.memoryBytes);
    }
    rows.push({ checkpoints, ...summary, first: summarize(first), memoryBytes: summarize(memory).median });
  }
  return rows;
}
