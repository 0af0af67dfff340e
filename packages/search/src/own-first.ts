import type { CheckpointRecord } from "@workrail/core";

/** Scores within this ratio count as equal. */
const NEARLY = 1.03;

/** Returns the score from which a text of the own project ranks before a text with the given score. */
export function ownProjectThreshold(score: number): number {
  return score / NEARLY;
}

/**
 * Sorts hits best first, moving hits of the own project before others that score nearly the same. Keeps only the last
 * of several hits for a checkpoint.
 */
export function ownFirst<Hit extends { readonly record: CheckpointRecord }>(
  hits: readonly Hit[],
  project: string,
  scoreOf: (hit: Hit) => number,
): Hit[] {
  const each = [...new Map(hits.map((hit) => [hit.record.id, hit])).values()];
  const worth = (hit: Hit): number => (hit.record.project === project ? scoreOf(hit) * NEARLY : scoreOf(hit));
  return each.sort((one, other) => worth(other) - worth(one));
}
