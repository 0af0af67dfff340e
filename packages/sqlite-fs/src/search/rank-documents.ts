import { type IndexQuery, rarity, saturation, type WeightedTerm, weighRelated } from "@workrail/core";
import { documentsWith, documentsWithAll, documentsWithOften, OFTEN, type Postings, postingsOf } from "./postings.ts";
import type { Run } from "../derived-database.ts";

/** A term of more documents says little, and reading them takes long: it only counts where nothing else does. */
const MOST_OF_TERM = 10_000;
/** For all terms together, the rarest first. */
const MOST_OF_ALL = 30_000;
/** A related term of so many is passed over. */
const MOST_OF_RELATED = 2_000;
const MOST_REQUIRED = 200_000;

/** Finds and scores documents by BM25, first as if all texts were of average length. */
export class Ranking {
  /** What a document would score that has every term many times. */
  readonly most: number;
  readonly #lists: readonly WeighedPostings[];
  readonly #scores: Float32Array;
  /** With any of the terms. */
  #documents: number[];
  #isSorted = false;

  /** @param among only these documents. */
  constructor(run: Run, { terms, required }: Pick<IndexQuery, "terms" | "required">, texts: number, among?: ReadonlySet<number>) {
    const having = required.length === 0 ? undefined : new Set(documentsWithAll(run, required, MOST_REQUIRED));
    const allowed =
      among === undefined || having === undefined ? (among ?? having) : new Set([...among].filter((number) => having.has(number)));
    this.#lists = allowed?.size === 0 ? [] : chosen(run, terms, texts);
    this.most = this.#lists.reduce((sum, { weight }) => sum + weight, 0);
    const last = this.#lists.reduce((number, { postings }) => Math.max(number, postings.documents.at(-1) ?? 0), 0);
    this.#scores = new Float32Array(last + 1);
    const documents: number[] = [];
    for (const { weight, postings } of this.#lists) {
      collect(postings.documents, this.#scores, allowed, documents);
      this.#add(weight, postings);
    }
    this.#documents = documents;
  }

  /** Documents from the best on, roughly, beginning behind so many. */
  best(from: number, count: number): readonly number[] {
    const documents = this.#documents;
    if (from === 0 && documents.length > 4 * count) return this.#sorted(this.#above(count)).slice(0, count);
    if (!this.#isSorted) this.#documents = this.#sorted(documents);
    this.#isSorted = true;
    return this.#documents.slice(from, from + count);
  }

  /** What a document of this length, against the average, scores. */
  exact(number: number, relativeLength: number): number {
    let score = 0;
    for (const { weight, postings } of this.#lists) {
      if (!has(postings.documents, number)) continue;
      const times = postings.more.findLast(([, documents]) => has(documents, number))?.[0] ?? 1;
      score += weight * saturation(times, relativeLength);
    }
    return score;
  }

  #add(weight: number, { documents, more }: Postings): void {
    const scores = this.#scores;
    let before = 0;
    for (const [times, numbers] of [[1, documents] as const, ...more]) {
      const worth = weight * saturation(times, 1);
      addTo(scores, numbers, worth - before);
      before = worth;
    }
  }

  /** Those that score no less than the best of this number do, and a few more: sorting all takes longer than all else. */
  #above(count: number): number[] {
    const documents = this.#documents;
    const steps = new Uint16Array(documents.length);
    const having = new Uint32Array(STEPS + 1);
    for (let at = 0; at < documents.length; at++) {
      const step = Math.min(STEPS, Math.floor(((this.#scores[documents[at] as number] as number) / this.most) * STEPS));
      steps[at] = step;
      having[step] = (having[step] as number) + 1;
    }
    let least = STEPS;
    for (let sum = having[least] as number; sum < count && least > 0; sum += having[least] as number) least--;
    return documents.filter((_, at) => (steps[at] as number) >= least);
  }

  #sorted(documents: readonly number[]): number[] {
    const scores = this.#scores;
    return documents.toSorted((one, other) => (scores[other] as number) - (scores[one] as number) || other - one);
  }
}

/** Scores are told apart this finely where the best of many are looked for. */
const STEPS = 2_000;

/** Plain loops: they run over many thousands before the engine has come to know them. */
function addTo(scores: Float32Array, numbers: readonly number[], more: number): void {
  for (let at = 0; at < numbers.length; at++) {
    const number = numbers[at] as number;
    scores[number] = (scores[number] as number) + more;
  }
}

function collect(numbers: readonly number[], scores: Float32Array, allowed: ReadonlySet<number> | undefined, into: number[]): void {
  for (let at = 0; at < numbers.length; at++) {
    const number = numbers[at] as number;
    if (scores[number] === 0 && allowed?.has(number) !== false) into.push(number);
  }
}

interface WeighedPostings {
  readonly weight: number;
  readonly postings: Postings;
}

/** What related terms add to the score of a document that is found already, by its number and its length against the average. */
export function relatedScores(
  run: Run,
  related: readonly WeightedTerm[],
  texts: number,
): (number: number, relativeLength: number) => number {
  const known = related.map((each) => {
    const documents = documentsWith(run, each.term, MOST_OF_RELATED);
    return { ...each, documents, texts: documents.length };
  });
  // What so many have says nothing.
  const telling = known.filter(({ texts: count }) => count < MOST_OF_RELATED);
  const weighed = weighRelated(telling, texts).map((each) => ({
    ...each,
    often: documentsWithOften(run, each.term.term, MOST_OF_RELATED),
  }));
  return (number, relativeLength) => {
    let sum = 0;
    for (const { term, worth, often } of weighed) {
      if (has(term.documents, number)) sum += worth * saturation(has(often, number) ? OFTEN : 1, relativeLength);
    }
    return sum;
  };
}

function chosen(run: Run, terms: readonly WeightedTerm[], texts: number): WeighedPostings[] {
  const all = terms.map(({ term, weight }) => ({ term, weight, postings: postingsOf(run, term, { most: MOST_OF_TERM }) }));
  all.sort((one, other) => one.postings.documents.length - other.postings.documents.length);
  let sum = 0;
  let isAny = false;
  return all.map(({ term, weight, postings }) => {
    const count = postings.documents.length;
    const isTooMany = isAny && (postings.isCut || sum + count > MOST_OF_ALL);
    sum += count;
    isAny ||= count > 0;
    // One that is nowhere, or passed over, counts for what a text could at most score.
    return { weight: weight * rarity(count, texts), postings: isTooMany ? NONE : complete(run, term, postings) };
  });
}

const NONE: Postings = { documents: [], more: [], isCut: false };

/** Of those that are too many, the latest. */
function complete(run: Run, term: string, postings: Postings): Postings {
  return postings.isCut ? postingsOf(run, term, { most: MOST_OF_TERM, newest: true }) : postings;
}

/** Whether a number is among those, which ascend. */
function has(numbers: readonly number[], number: number): boolean {
  let [from, to] = [0, numbers.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    const there = numbers[middle] as number;
    if (there === number) return true;
    if (there < number) from = middle + 1;
    else to = middle;
  }
  return false;
}
