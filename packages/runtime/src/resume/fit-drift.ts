import type { TokenCounter } from "@workrail/core";
import type { Drift } from "./find-drift.ts";

/** Number of files named of each kind, in descending steps. */
const NAMED = [10, 3, 0];

/** Fits the drift into a token budget: keeps all counts, and as many names as fit. */
export async function fitDrift(drift: Drift, tokens: number, counter: TokenCounter): Promise<Drift> {
  let fitted = drift;
  for (const most of NAMED) {
    fitted = naming(drift, most);
    if ((await counter.count(JSON.stringify(fitted))) <= tokens) return fitted;
  }
  return fitted;
}

function naming(drift: Drift, most: number): Drift {
  if (drift.files === undefined) return drift;
  const { named, ...fates } = drift.files;
  const told = (["changed", "renamed", "deleted"] as const).flatMap((fate) => {
    const all = fates[fate];
    if (all === undefined) return [];
    const count = fates[`${fate}Count`] ?? all.length;
    return [[fate, all.slice(0, most)] as const, ...(count > most ? [[`${fate}Count`, count] as const] : [])];
  });
  return {
    ...drift,
    files: { named, ...Object.fromEntries<unknown>(told.filter(([, value]) => !Array.isArray(value) || value.length > 0)) },
  };
}
