import { ownCpuMs } from "../rest.ts";
import { openLibrary } from "./open-library.ts";

export interface FirstSearch {
  /** From asking, right after the store was opened, to the answer. */
  readonly ms: number;
  readonly cpuMs: number;
}

/** Opens a store and asks it at once, in a process that has done nothing else. */
export async function firstSearch({ dataDir, query }: { readonly dataDir: string; readonly query: string }): Promise<FirstSearch> {
  const library = await openLibrary(dataDir);
  const cpuBefore = ownCpuMs();
  const started = performance.now();
  await library.searchCheckpoints({ query });
  const result = { ms: performance.now() - started, cpuMs: ownCpuMs() - cpuBefore };
  await library.close();
  return result;
}
