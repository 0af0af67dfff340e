import { ownCpuMs, untilQuiet } from "../rest.ts";
import { openLibrary } from "./open-library.ts";

/** Opens a store, which takes in the saves of hooks, and waits until compaction is done. */
export async function takeIn({ dataDir }: { readonly dataDir: string }): Promise<{ readonly cpuMs: number }> {
  const before = ownCpuMs();
  const library = await openLibrary(dataDir);
  await untilQuiet();
  await library.close();
  return { cpuMs: ownCpuMs() - before };
}
