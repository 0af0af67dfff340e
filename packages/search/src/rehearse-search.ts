import { isItsOwnFault, readContext, queryCheckpoints } from "@workrail/core";
import { searchableTextsOf } from "./checkpoint-text.ts";
import { termsOf } from "./terms.ts";
import { searchCheckpoints, type SearchPorts } from "./search-checkpoints.ts";

/** Largest context to read for a rehearsal. */
const MOST_BYTES = 64 * 1024;
/** Characters of the newest checkpoint to take words from. */
const ENOUGH = 400;
const LIMIT = 5;

/**
 * Runs a search for words of the newest checkpoint, to warm up. A new process compiles hundreds of functions and reads the index
 * from disk for its first search; a later caller need not wait for that. Changes nothing, and skips large or unreadable
 * checkpoints.
 *
 * @param words number of words to search for: longer queries (six words and more) exercise more code.
 * @param isOver returns true when no caller will come any more.
 * @throws STORAGE_UNAVAILABLE
 */
export async function rehearseSearch(ports: SearchPorts, words: number, isOver: () => boolean): Promise<void> {
  const { records } = await queryCheckpoints(ports.catalog, { filter: {}, limit: 1, offset: 0 });
  const [newest] = records;
  if (newest === undefined || newest.contextBytes > MOST_BYTES) return;
  try {
    const { context } = await ports.locking.shared(() => readContext(ports, newest));
    if (isOver()) return;
    const terms = new Set(termsOf(searchableTextsOf(newest, context, ENOUGH).join(" ").slice(0, ENOUGH)));
    const query = [...terms].slice(0, words).join(" ");
    await searchCheckpoints(ports, { query, filter: {}, limit: LIMIT, mostBytes: MOST_BYTES });
  } catch (error) {
    // A later load of the checkpoint reports the error.
    if (!isItsOwnFault(error)) throw error;
  }
}
