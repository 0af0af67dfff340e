import { searchableTextsOf } from "../search/checkpoint-text.ts";
import { termsOf } from "../search/terms.ts";
import { isItsOwnFault } from "./get-blob.ts";
import { readContext } from "./read-context.ts";
import { searchCheckpoints, type SearchPorts } from "./search-checkpoints.ts";

/** Whatever is larger is not read for practice. */
const MOST_BYTES = 64 * 1024;
/** Of the newest checkpoint, in characters: what words are taken from. */
const ENOUGH = 400;
const LIMIT = 5;

/**
 * Asks, for nobody, what the newest checkpoint is found by. A process that has never searched compiles some hundred functions for its first
 * question, and reads the index from the disk; whoever comes with one after this need not wait for that. Changes nothing, and leaves
 * alone what is large or cannot be read.
 *
 * @param words how many to ask for: for a question of six and more is done what for a short one is not.
 * @param isOver whether nobody will come any more.
 * @throws STORAGE_UNAVAILABLE
 */
export async function rehearseSearch(ports: SearchPorts, words: number, isOver: () => boolean): Promise<void> {
  const { records } = await ports.catalog.list({ filter: {}, limit: 1, offset: 0 });
  const [newest] = records;
  if (newest === undefined || newest.contextBytes > MOST_BYTES) return;
  try {
    const { context } = await ports.locking.shared(() => readContext(ports, newest));
    if (isOver()) return;
    const terms = new Set(termsOf(searchableTextsOf(newest, context, ENOUGH).join(" ").slice(0, ENOUGH)));
    const query = [...terms].slice(0, words).join(" ");
    await searchCheckpoints(ports, { query, filter: {}, limit: LIMIT, mostBytes: MOST_BYTES });
  } catch (error) {
    // That it cannot be read is told to whoever asks for it.
    if (!isItsOwnFault(error)) throw error;
  }
}
