import { untilQuiet } from "../rest.ts";
import { filledSession } from "./fill-store.ts";
import { openLibrary } from "./open-library.ts";
import { questionsFor, type SearchInput } from "./search-questions.ts";

/** Loads before the first question: a process that works has a heap, and has the catalog in memory. */
const LOADS = 500;

export interface SearchMemory {
  /** What asking took of memory, beyond an open store from which much was loaded. */
  readonly memoryBytes: number;
}

/** Asks a store in a process that otherwise only loads. */
export async function searchMemory(input: SearchInput): Promise<SearchMemory> {
  const library = await openLibrary(input.dataDir);
  for (let load = 0; load < LOADS; load++) await library.loadCheckpoint({ sessionId: filledSession(load % input.sessions) });
  await untilQuiet();
  const before = process.memoryUsage().rss;
  for (const { params } of questionsFor(input)) await library.searchCheckpoints(params);
  const memoryBytes = process.memoryUsage().rss - before;
  await library.close();
  return { memoryBytes };
}
