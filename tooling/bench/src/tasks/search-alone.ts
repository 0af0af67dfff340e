import { openLibrary } from "./open-library.ts";
import { questionsFor, type SearchInput } from "./search-questions.ts";

export interface SearchAlone {
  /** From asking, right after the store was opened, to the answer. */
  readonly firstMs: number;
  /** What asking all questions took of memory, beyond an open store. */
  readonly memoryBytes: number;
}

/** Opens a store and asks it, in a process that does nothing else. */
export async function searchAlone(input: SearchInput & { readonly first: string }): Promise<SearchAlone> {
  const library = await openLibrary(input.dataDir);
  const before = process.memoryUsage().rss;
  const started = performance.now();
  await library.searchCheckpoints({ query: input.first });
  const firstMs = performance.now() - started;
  for (const { params } of questionsFor(input)) await library.searchCheckpoints(params);
  const memoryBytes = process.memoryUsage().rss - before;
  await library.close();
  return { firstMs, memoryBytes };
}
