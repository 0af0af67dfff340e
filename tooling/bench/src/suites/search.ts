import type { Bench } from "../bench.ts";
import { runWorker } from "../run-worker.ts";
import type { SearchSummary } from "../tasks/compare-search.ts";

export interface SearchRow extends SearchSummary {
  readonly checkpoints: number;
}

const SIZES = [1_000, 10_000, 100_000];
const IN_A_SESSION = 50;
const PROJECTS = 20;

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
    const summary = await runWorker("compareSearch", { ...about, questions: bench.quick ? 30 : 100, openings: bench.quick ? 5 : 15 });
    rows.push({ checkpoints, ...summary });
  }
  return rows;
}
