import type { Checkpoint } from "@langchain/langgraph-checkpoint";
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
import { WorkrailSaver } from "@workrail/langgraph";
import { alternate, type Comparison, type Effort } from "../alternate.ts";
import { untilQuiet } from "../rest.ts";
import { LanggraphSide, STEPS, THREAD, threadOf, threadOfMessages, WHOLE } from "./langgraph-side.ts";
import { openDatabase } from "./open-library.ts";

export interface LanggraphPostgresInput {
  /** Database whose store is migrated. */
  readonly url: string;
  readonly dataDir: string;
  readonly effort: Effort;
}

export type LanggraphPostgresRow = Comparison & { readonly operation: "put" | "put, all messages" | "latest" };

/** Compares our saver for LangGraph with LangGraph's own for PostgreSQL, in the same database. */
export async function compareLanggraphPostgres({ url, dataDir, effort }: LanggraphPostgresInput): Promise<readonly LanggraphPostgresRow[]> {
  const store = await openDatabase(url, dataDir);
  const saver = PostgresSaver.fromConnString(url);
  try {
    await saver.setup();
    const floor = new LanggraphSide(saver);
    const measured = new LanggraphSide(new WorkrailSaver(store));
    const putAll = (sides: readonly [LanggraphSide, LanggraphSide], checkpoints: readonly Checkpoint[]): Promise<Comparison> =>
      alternate(WHOLE, {
        floor: () => sides[0].put(checkpoints),
        measured: () => sides[1].put(checkpoints),
        rest: untilQuiet,
      });
    const put = await putAll([floor, measured], threadOf(STEPS));
    const putMessages = await putAll([floor.ofThread("messages"), measured.ofThread("messages")], threadOfMessages(STEPS));
    await untilQuiet();
    const latest = await alternate(effort, {
      floor: () => floor.saver.getTuple(THREAD),
      measured: () => measured.saver.getTuple(THREAD),
    });
    return [
      { operation: "put", ...put },
      { operation: "put, all messages", ...putMessages },
      { operation: "latest", ...latest },
    ];
  } finally {
    await saver.end();
    await store.close();
  }
}
