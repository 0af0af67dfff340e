import * as z from "zod";
import { reading } from "./call.ts";
import { attributesOf } from "./context.ts";
import { locate, type Place } from "./locate.ts";
import { type TimelineRow, timelineRow } from "./timeline.ts";

/** Checkpoints that hold the words. */
export interface Found {
  readonly hits: readonly {
    readonly checkpoint: TimelineRow;
    readonly sessionId: string;
    readonly sessionName?: string | undefined;
    readonly snippet?: string | undefined;
    /** Absent: no text of it has the words as they were asked for, or the hits before it are too large to look for them. */
    readonly place?: Place | undefined;
  }[];
  /** No hit has a word of the query: these are similar. */
  readonly isLoose: boolean;
}

const LIMIT = 50;
const LONGEST_QUERY = 1_000;
/** Characters of contexts in which the words are looked for, in all hits together. */
const MOST_CHARACTERS = 16_000_000;

/** Finds checkpoints of all projects by words, and the place of the words in each. */
export const search = reading(z.object({ query: z.string().min(1).max(LONGEST_QUERY) }), async ({ store }, { query }): Promise<Found> => {
  const { hits, loose } = await store.searchCheckpoints({ query, project: null, limit: LIMIT });
  const found: Found["hits"][number][] = [];
  let room = MOST_CHARACTERS;
  for (const { checkpoint, snippet } of hits) {
    const { id, name, tags, sessionId, sessionName } = checkpoint;
    const about = { checkpoint: timelineRow(checkpoint), sessionId, sessionName, snippet };
    if (room <= 0) {
      found.push(about);
      continue;
    }
    const { context, metadata } = await store.loadCheckpoint({ checkpointId: id, isPeek: true });
    room -= JSON.stringify(context).length;
    const located = locate({ context, name, tags, attributes: attributesOf(metadata.attributes), query, snippet });
    if (located === undefined) {
      found.push(about);
      continue;
    }
    // The snippet of the search may begin in another entry.
    const { text, ...place } = located;
    found.push({ ...about, snippet: text, place });
  }
  return { hits: found, isLoose: loose === true };
});
