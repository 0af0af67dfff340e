import { rarity, saturation, type WeightedTerm, weighRelated } from "@workrail/core";
import { documentsWith, documentsWithAll, type Postings, postingsOf } from "./postings.ts";
import type { Run } from "../derived-database.ts";

/** A document, and what it scores with a text of average length. */
export interface Candidate {
  readonly number: number;
  readonly rough: number;
}

/** A document's terms: what each weighs for its rarity, and how often it occurs. */
export interface Scores {
  /** The best first, roughly. */
  readonly candidates: readonly Candidate[];
  /** What a document of this length scores. */
  exact(number: number, relativeLength: number): number;
  /** What a document would score that has every term many times. */
  readonly most: number;
}

/** A term of more documents says little, and reading them takes long: it only counts where nothing else does. */
const MOST_OF_TERM = 20_000;
/** For all terms together, the rarest first. */
const MOST_OF_ALL = 60_000;
/** A related term of so many is passed over. */
const MOST_OF_RELATED = 5_000;
const MOST_REQUIRED = 200_000;

interface Found {
  readonly weight: number;
  readonly postings: Postings;
}

/** Finds and scores documents by BM25. */
export function rankDocuments(run: Run, terms: readonly WeightedTerm[], required: readonly string[], texts: number): Scores {
  const allowed = required.length === 0 ? undefined : new Set(documentsWithAll(run, required, MOST_REQUIRED));
  const found = allowed?.size === 0 ? [] : chosen(run, terms, texts);
  const most = found.reduce((sum, { weight }) => sum + weight, 0);
  const lists = found.map(({ weight, postings }) => ({ weight, times: timesOf(postings) }));
  const rough = new Map<number, number>();
  for (const { weight, times } of lists) {
    for (const [number, count] of times) {
      if (allowed?.has(number) !== false) rough.set(number, (rough.get(number) ?? 0) + weight * saturation(count, 1));
    }
  }
  const candidates = [...rough]
    .map(([number, score]) => ({ number, rough: score }))
    .sort((one, other) => other.rough - one.rough || other.number - one.number);
  const exact = (number: number, relativeLength: number): number =>
    lists.reduce((sum, { weight, times }) => sum + weight * saturation(times.get(number) ?? 0, relativeLength), 0);
  return { candidates, exact, most };
}

/** What related terms add to the scores of documents that are candidates already. */
export function relatedScores(
  run: Run,
  related: readonly WeightedTerm[],
  numbers: ReadonlySet<number>,
  texts: number,
): Map<number, number> {
  const known = related.map((each) => {
    const documents = documentsWith(run, each.term, MOST_OF_RELATED);
    return { ...each, documents, texts: documents.length };
  });
  const scores = new Map<number, number>();
  // What so many have says nothing.
  const telling = known.filter(({ texts: count }) => count < MOST_OF_RELATED);
  for (const { term, worth } of weighRelated(telling, texts)) {
    for (const number of term.documents) {
      if (numbers.has(number)) scores.set(number, (scores.get(number) ?? 0) + worth * saturation(1, 1));
    }
  }
  return scores;
}

function chosen(run: Run, terms: readonly WeightedTerm[], texts: number): Found[] {
  const all = terms.map(({ term, weight }) => ({ term, weight, postings: postingsOf(run, term, { most: MOST_OF_TERM }) }));
  all.sort((one, other) => one.postings.documents.length - other.postings.documents.length);
  const found: Found[] = [];
  let sum = 0;
  let isAny = false;
  for (const { term, weight, postings } of all) {
    const count = postings.documents.length;
    const isTooMany = isAny && (postings.isCut || sum + count > MOST_OF_ALL);
    // One that is nowhere counts for what a text could at most score.
    found.push({ weight: weight * rarity(count, texts), postings: isTooMany ? NONE : complete(run, term, postings) });
    sum += count;
    isAny ||= count > 0;
  }
  return found;
}

const NONE: Postings = { documents: [], more: [], isCut: false };

/** Of those that are too many, the latest. */
function complete(run: Run, term: string, postings: Postings): Postings {
  return postings.isCut ? postingsOf(run, term, { most: MOST_OF_TERM, newest: true }) : postings;
}

function timesOf({ documents, more }: Postings): Map<number, number> {
  const times = new Map(documents.map((number) => [number, 1]));
  for (const [count, numbers] of more) for (const number of numbers) times.set(number, count);
  return times;
}
