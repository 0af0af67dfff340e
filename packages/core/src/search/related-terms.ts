import type { WeightedTerm } from "../ports/search-index.ts";
import { rarity } from "./bm25.ts";

/** So many are looked up. */
const MOST_LOOKED_UP = 20;
/** So many have a say in the order of hits. */
const MOST = 15;
/** The heaviest weighs this much of a term that was asked for. */
const SHARE = 0.3;
/** How soon a repeated term stops to count. */
const SATURATION = 1.6;

/**
 * Terms that the best hits have in common beyond what was asked for, which is known as pseudo-relevance feedback: what the best
 * speak of besides tells which of the others are about the same.
 *
 * @param hits the best first.
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

/** What each related term adds to the score of a text that has it, once an index knows how many have it. */
export function weighRelated<Term extends WeightedTerm & { readonly texts: number }>(
  related: readonly Term[],
  allTexts: number,
): { readonly term: Term; readonly worth: number }[] {
  // One that is in a single text connects it with no other.
  const known = related.filter(({ texts }) => texts > 1).slice(0, MOST);
  const most = known.reduce((heaviest, { weight }) => Math.max(heaviest, weight), 0);
  return known.map((term) => ({ term, worth: ((SHARE * term.weight) / most) * rarity(term.texts, allTexts) }));
}

/** How often each occurs. */
export function countsOf(terms: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}
