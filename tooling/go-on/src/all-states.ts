import { readdir } from "node:fs/promises";
import type { WorkingState } from "./working-state.ts";

export const SETS = ["first", "second", "third", "fourth"] as const;

/** Loads the states of a set, ordered by name. */
export async function statesOf(set: string): Promise<readonly WorkingState[]> {
  const folder = new URL(`states/${set}/`, import.meta.url);
  const files = (await readdir(folder)).filter((name) => name.endsWith(".ts")).sort();
  return Promise.all(files.map(async (name) => ((await import(new URL(name, folder).href)) as { state: WorkingState }).state));
}
