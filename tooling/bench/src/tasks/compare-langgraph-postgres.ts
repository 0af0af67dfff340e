import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
import { WorkrailSaver } from "@workrail/langgraph";
import { alternate, type Comparison, type Effort } from "../alternate.ts";
import { untilQuiet } from "../rest.ts";
import { LanggraphSide, STEPS, THREAD, threadOf, WHOLE } from "./langgraph-side.ts";
import { openDatabase } from "./open-library.ts";

export interface LanggraphPostgresInput {
  /** Database whose store is migrated. */
  readonly url: string;
  readonly dataDir: string;
  readonly effort: Effort;
}

export type LanggraphPostgresRow = Comparison & { readonly operation: "put" | "latest" };

/** Compares our saver for LangGraph with LangGraph's own for PostgreSQL, in the same database. */
export async function compareLanggraphPostgres({ url, dataDir, effort }: LanggraphPostgresInput): Promise<readonly LanggraphPostgresRow[]> {
  const store = await openDatabase(url, dataDir);
  const saver = PostgresSaver.fromConnString(url);
  try {
    await saver.setup();
    const floor = new LanggraphSide(saver);
    const measured = new LanggraphSide(new WorkrailSaver(store));
    const checkpoints = threadOf(STEPS);
    const put = await alternate(WHOLE, {
      floor: () => floor.put(checkpoints),
      measured: () => measured.put(checkpoints),
      rest: untilQuiet,
    });
    await untilQuiet();
    const latest = await alternate(effort, {
      floor: () => floor.saver.getTuple(THREAD),
      measured: () => measured.saver.getTuple(THREAD),
    });
    return [
      { operation: "put", ...put },
      { operation: "latest", ...latest },
    ];
  } finally {
    await saver.end();
    await store.close();
  }
}
