import type { Workrail } from "@workrail/runtime";
import { showingProgress } from "./show-progress.ts";

/** Asks once everything can be found: a command that ends with its answer has no background that would index the rest. */
export async function onceIndexed<T>(store: Workrail, ask: () => Promise<T>): Promise<T> {
  await showingProgress("Sessions indexed:", (onProgress) => store.finishIndex({ onProgress }));
  return ask();
}
