import { getHeapSpaceStatistics } from "node:v8";
import { untilQuiet } from "../rest.ts";
import { filledSession } from "./fill-store.ts";
import { openLibrary } from "./open-library.ts";
import { questionsFor, type SearchInput } from "./search-questions.ts";

/** Loads before the first question: a process that works has a heap, and has the catalog in memory. */
const LOADS = 500;

export interface SearchMemory {
  /** What asking took of memory, beyond an open store from which much was loaded. */
  readonly memoryBytes: number;
  /** The same without V8's new space, which becomes twice as large now and then, whatever a process does. */
  readonly withoutNewSpaceBytes: number;
}

/** Asks a store in a process that otherwise only loads. */
export async function searchMemory(input: SearchInput): Promise<SearchMemory> {
  const library = await openLibrary(input.dataDir);
  for (let load = 0; load < LOADS; load++) await library.loadCheckpoint({ sessionId: filledSession(load % input.sessions) });
  await untilQuiet();
  const before = { all: process.memoryUsage().rss, newSpace: newSpaceBytes() };
  for (const { params } of questionsFor(input)) await library.searchCheckpoints(params);
  const memoryBytes = process.memoryUsage().rss - before.all;
  const withoutNewSpaceBytes = memoryBytes - (newSpaceBytes() - before.newSpace);
  await library.close();
  return { memoryBytes, withoutNewSpaceBytes };
}

function newSpaceBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space")?.physical_space_size ?? 0;
}
