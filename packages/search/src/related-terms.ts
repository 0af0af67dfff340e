import type { WeightedTerm } from "@workrail/core";
import { rarity } from "./bm25.ts";

/** Number of related terms to look up. */
const MOST_LOOKED_UP = 20;
/** Number of related terms that affect the order of hits. */
const MOST = 15;
/** Weight of the heaviest related term, relative to a query term. */
const SHARE = 0.3;
/** Occurrences at which a term has half of its maximum weight (`k1` of BM25). */
const SATURATION = 1.6;

/**
 * Returns terms that the best hits share besides the query (pseudo-relevance feedback). They help to find other hits on the same
 * subject.
 *
 * @param hits best first.
 */
export function relatedTerms(
  asked: ReadonlySet<string>,
  hits: readonly { readonly score: number; readonly terms: readonly string[] }[],
): WeightedTerm[] {
  const best = hits[0]?.score ?? 0;
  const weights = new Map<string, number>();
  for (const { score, terms } of hits) {
    for (const [term, times] of countsOf(terms)) {
      if (!asked.has(term)) weights.set(term, (weights.get(term) ?? 0) + ((score / best) * times) / (times + SATURATION));
    }
  }
  const all = Array.from(weights, ([term, weight]) => ({ term, weight }));
  return all.sort((one, other) => other.weight - one.weight).slice(0, MOST_LOOKED_UP);
}

/** Returns the score that each related term adds to a text that has it, given how many texts of the index have it. */
export function weighRelated<Term extends WeightedTerm & { readonly texts: number }>(
  related: readonly Term[],
  allTexts: number,
): { readonly term: Term; readonly worth: number }[] {
  // A term of a single text connects it with no other text.
  const known = related.filter(({ texts }) => texts > 1).slice(0, MOST);
  const most = known.reduce((heaviest, { weight }) => Math.max(heaviest, weight), 0);
  return known.map((term) => ({ term, worth: ((SHARE * term.weight) / most) * rarity(term.texts, allTexts) }));
}

/** Counts the occurrences of each term. */
export function countsOf(terms: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}
