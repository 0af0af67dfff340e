import { noPostgres, startPostgres } from "@workrail/faults";
import { migrateStore } from "@workrail/runtime";
import type { Bench } from "../bench.ts";
import { runWorker } from "../run-worker.ts";
import type { LanggraphResult as LanggraphFigures } from "../tasks/compare-langgraph.ts";
import type { LanggraphPostgresRow } from "../tasks/compare-langgraph-postgres.ts";

export interface LanggraphResult extends LanggraphFigures {
  /** Absent where no server can be started. */
  readonly postgres?: readonly LanggraphPostgresRow[];
}

/** Measures the saver for LangGraph beside LangGraph's own for SQLite and for PostgreSQL: a thread of 200 steps of 100 to 200 KB. */
export async function measureLanggraph(bench: Bench): Promise<LanggraphResult> {
  const effort = bench.effort(0.2);
  bench.say("langgraph: 200 steps");
  const figures = await runWorker("compareLanggraph", { directory: bench.fresh("langgraph"), effort });
  const missing = noPostgres();
  if (missing !== undefined) {
    bench.say(`langgraph: not measured beside PostgresSaver: ${missing}`);
    return figures;
  }
  bench.say("langgraph: the same in PostgreSQL");
  const server = await startPostgres({ isDurable: true });
  try {
    const url = server.url();
    await migrateStore({ store: url });
    return {
      ...figures,
      postgres: await runWorker("compareLanggraphPostgres", { url, dataDir: bench.fresh("langgraph-postgres"), effort }),
    };
  } finally {
    await server.destroy();
  }
}
