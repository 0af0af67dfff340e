import { untilQuiet } from "../rest.ts";
import { filledSession } from "./fill-store.ts";
import { openLibrary } from "./open-library.ts";
import { questionsFor, type SearchInput } from "./search-questions.ts";

/** Loads before the first query: a working process has a heap, and the catalog in memory. */
const LOADS = 500;

/** Returns the memory of searching, beyond that of a process that otherwise only loads, in bytes. */
export async function searchMemory(input: SearchInput): Promise<number> {
  const library = await openLibrary(input.dataDir);
  for (let load = 0; load < LOADS; load++) await library.loadCheckpoint({ sessionId: filledSession(load % input.sessions) });
  await untilQuiet();
  const before = process.memoryUsage().rss;
  for (const { params } of questionsFor(input)) await library.searchCheckpoints(params);
  const bytes = process.memoryUsage().rss - before;
  await library.close();
  return bytes;
}
