import type { CheckpointRecord } from "../model/checkpoint.ts";

/** Scores that are this near to each other say the same. */
const NEARLY = 1.03;

/** What a text of the own project must score at least to come before one that scores so much. */
export function nearly(score: number): number {
  return score / NEARLY;
}

/** The best first; of a project those that score nearly as much as others come before them. Of two for one checkpoint the last is kept. */
export function ownFirst<Hit extends { readonly record: CheckpointRecord }>(
  hits: readonly Hit[],
  project: string,
  scoreOf: (hit: Hit) => number,
): Hit[] {
  const each = [...new Map(hits.map((hit) => [hit.record.id, hit])).values()];
  const worth = (hit: Hit): number => (hit.record.project === project ? scoreOf(hit) * NEARLY : scoreOf(hit));
  return each.sort((one, other) => worth(other) - worth(one));
}
