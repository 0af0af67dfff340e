import type { Workrail } from "@workrail/runtime";
import { showingProgress } from "./show-progress.ts";

/** Runs a query after indexing everything: a command ends with its answer, so it has no background to index the rest. */
export async function onceIndexed<T>(store: Workrail, ask: () => Promise<T>): Promise<T> {
  await showingProgress("Sessions indexed:", (onProgress) => store.finishIndex({ onProgress }));
  return ask();
}
