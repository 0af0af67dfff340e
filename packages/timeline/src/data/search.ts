import * as z from "zod";
import { reading } from "./call.ts";
import { type TimelineRow, timelineRow } from "./timeline.ts";

/** Checkpoints that hold the words. */
export interface Found {
  readonly hits: readonly {
    readonly checkpoint: TimelineRow;
    readonly sessionId: string;
    readonly sessionName?: string | undefined;
    readonly snippet?: string | undefined;
  }[];
  /** No hit has a word of the query: these are similar. */
  readonly isLoose: boolean;
}

const LIMIT = 50;
const LONGEST_QUERY = 1_000;

/** Finds checkpoints of all projects by words. */
export const search = reading(z.object({ query: z.string().min(1).max(LONGEST_QUERY) }), async ({ store }, { query }): Promise<Found> => {
  const { hits, loose } = await store.searchCheckpoints({ query, project: null, limit: LIMIT });
  return {
    hits: hits.map(({ checkpoint, snippet }) => ({
      checkpoint: timelineRow(checkpoint),
      sessionId: checkpoint.sessionId,
      sessionName: checkpoint.sessionName,
      snippet,
    })),
    isLoose: loose === true,
  };
});
