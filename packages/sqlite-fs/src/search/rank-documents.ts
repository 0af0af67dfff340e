import {
  ALL_TERMS,
  type AskedTerm,
  type IndexQuery,
  rarePreference,
  rarity,
  saturation,
  shareOfInstead,
  type WeightedTerm,
  weighRelated,
} from "@workrail/core";
import {
  documentsWithAll,
  documentsBeginning,
  documentsWithAny,
  documentsWithOften,
  EVERYWHERE,
  fewDocumentsWith,
  latestPostingsOf,
  moreOften,
  OFTEN,
  type Postings,
  postingsOf,
  type Span,
  united,
  without,
} from "./postings.ts";
import type { Run } from "../derived-database.ts";
import type { Scores, ScoreSheet } from "./score-sheet.ts";

/** A term of more documents says little, and reading them takes long: it only counts where nothing else does. */
const MOST_OF_TERM = 5_000;
/** For all terms together, the rarest first. */
const MOST_OF_ALL = 15_000;
/** Of a term of too many documents the latest: no others have to be known to find the best, unless a filter leaves few of them. */
const LATEST_OF_TERM = 500;
/** So many times more are read when these were not enough. */
const DEEPER = 10;
/** A related term of so many is passed over. */
const MOST_OF_RELATED = 1_000;
const MOST_REQUIRED = 200_000;
/** Where so many documents have a term, nobody comes to those that have something instead. */
const ENOUGH_WHOLE = 100;
/** The latest documents with something instead of a term. */
const MOST_INSTEAD = 1_000;

/** Where a ranking looks. */
export interface RankingScope {
  readonly sheet: ScoreSheet;
  /** Of the whole index. */
  readonly texts: number;
  /** Only these documents, which ascend. */
  readonly among?: readonly number[] | undefined;
  /** How often there was not enough before: what is frequent is looked at further each time. Default 0. */
  readonly depth?: number;
}

/** Finds and scores documents by BM25, first as if all texts were of average length. */
export class Ranking {
  /** What a document would score that has every term many times. */
  readonly most: number;
  /** Whether a deeper one may find more. */
  readonly isCut: boolean;
  readonly #query: Pick<IndexQuery, "terms" | "required">;
  readonly #scope: RankingScope;
  readonly #lists: readonly WeighedPostings[];
  /** Whether it counts that a document has all terms that are in any: there are several, or something instead of one. */
  readonly #isForAll: boolean;
  /** With any of the terms. */
  readonly #found: Scores;
  /** What a document gets that has a rare term. */
  readonly #bonus: number;
  readonly #rare: readonly number[];
  /** Places of the best of them, the best first. */
  #sorted: readonly number[] = [];

  constructor(run: Run, query: Pick<IndexQuery, "terms" | "required">, scope: RankingScope) {
    const { lists, allowed, isCut } = chosen(run, query, scope);
    this.#query = query;
    this.#scope = scope;
    this.#lists = lists;
    this.isCut = isCut;
    const whole = lists.filter(({ isInstead }) => !isInstead);
    const rare = query.required.length > 0 ? { bonus: 0, isRare: () => false } : rarePreference(whole, scope.texts);
    this.#bonus = rare.bonus;
    this.#rare =
      rare.bonus === 0
        ? []
        : whole
            .filter(({ texts }) => rare.isRare(texts))
            .reduce<readonly number[]>((all, { postings }) => united(all, postings.documents), []);
    this.most = whole.reduce((sum, { weight }) => sum + weight, rare.bonus);
    const known = whole.filter(({ postings }) => postings.documents.length > 0).length;
    this.#isForAll = known > 1 || (known === 1 && whole.length < lists.length);
    for (const list of lists) addTo(scope.sheet, list, allowed);
    if (this.#rare.length > 0) scope.sheet.add(this.#rare, rare.bonus, allowed);
    this.#found = scope.sheet.take();
  }

  /** One that looks further. */
  deeper(run: Run): Ranking {
    return new Ranking(run, this.#query, { ...this.#scope, depth: (this.#scope.depth ?? 0) + 1 });
  }

  /** Documents from the best on, roughly, beginning behind so many. */
  best(from: number, count: number): readonly number[] {
    const { documents } = this.#found;
    const wanted = Math.min(from + count, documents.length);
    // More than asked for: what comes next are often a few more.
    if (this.#sorted.length < wanted) this.#sorted = this.#bestFirst(this.#above(2 * wanted));
    return this.#sorted.slice(from, from + count).map((at) => documents[at] as number);
  }

  /** What a document of this length, against the average, scores. @param related what it gets for related terms. */
  exact(number: number, relativeLength: number, related: number): number {
    let score = 0;
    let isWithAll = this.#isForAll;
    for (const { weight, postings, isInstead } of this.#lists) {
      if (!has(postings.documents, number)) {
        isWithAll &&= isInstead || postings.documents.length === 0;
        continue;
      }
      const times = postings.more.findLast(([, documents]) => has(documents, number))?.[0] ?? 1;
      score += weight * saturation(times, relativeLength);
    }
    if (has(this.#rare, number)) score += this.#bonus + related;
    // Nor do related terms make up for a rare one.
    else score = this.#bonus === 0 ? score + related : Math.max(score, Math.min(score + related, this.#bonus));
    return isWithAll ? score + ALL_TERMS * this.most : score;
  }

  /** Places of those that score no less than the best of this number do, and a few more: sorting all takes longer than all else. */
  #above(count: number): number[] {
    const { scores } = this.#found;
    const scale = STEPS / this.most;
    const steps = new Uint16Array(scores.length);
    const having = new Uint32Array(STEPS + 1);
    for (let at = 0; at < scores.length; at++) {
      const step = ((scores[at] as number) * scale) | 0;
      steps[at] = step;
      having[step] = (having[step] as number) + 1;
    }
    let least = STEPS;
    for (let sum = having[least] as number; sum < count && least > 0; sum += having[least] as number) least--;
    const places: number[] = [];
    for (let at = 0; at < steps.length; at++) if ((steps[at] as number) >= least) places.push(at);
    return places;
  }

  #bestFirst(places: number[]): number[] {
    const { documents, scores } = this.#found;
    return places.sort((one, other) => {
      return (scores[other] as number) - (scores[one] as number) || (documents[other] as number) - (documents[one] as number);
    });
  }
}

/** Scores are told apart this finely where the best of many are looked for. */
const STEPS = 2_000;

function addTo(sheet: ScoreSheet, { weight, postings }: WeighedPostings, allowed: ReadonlySet<number> | undefined): void {
  let before = 0;
  for (const [times, numbers] of [[1, postings.documents] as const, ...postings.more]) {
    const worth = weight * saturation(times, 1);
    sheet.add(numbers, worth - before, allowed);
    before = worth;
  }
}

interface WeighedPostings {
  readonly weight: number;
  /** About how many have it; 0 where it is not known. */
  readonly texts: number;
  /** Of what is taken for a term. */
  readonly isInstead?: true;
  readonly postings: Postings;
}

/** What related terms add to the score of a document that is found already, by its number and its length against the average. */
export function relatedScores(
  run: Run,
  related: readonly WeightedTerm[],
  texts: number,
): (number: number, relativeLength: number) => number {
  // What so many have says nothing.
  const telling = related.flatMap((each) => {
    const documents = fewDocumentsWith(run, each.term, { most: MOST_OF_RELATED, texts }, EVERYWHERE);
    return documents === undefined ? [] : [{ ...each, documents, texts: documents.length }];
  });
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

/** What is read for a question. */
interface Chosen {
  readonly lists: readonly WeighedPostings[];
  /** Others do not count. Absent: all do. */
  readonly allowed?: ReadonlySet<number> | undefined;
  readonly isCut: boolean;
}

function chosen(run: Run, { terms, required }: Pick<IndexQuery, "terms" | "required">, { texts, among, depth = 0 }: RankingScope): Chosen {
  if (among?.length === 0) return { lists: [], isCut: false };
  const span = among === undefined ? EVERYWHERE : spanOf(among);
  const allowed = among === undefined ? undefined : new Set(among);
  if (required.length === 0) return { ...anyOf(run, terms, { texts, span, depth }), allowed };
  const having = documentsWithAll(run, required, MOST_REQUIRED, span).filter((number) => allowed?.has(number) !== false);
  if (having.length === 0) return { lists: [], isCut: false };
  const others = terms.filter(({ term }) => !required.includes(term));
  const { lists } = anyOf(run, others, { texts, span: spanOf(having), depth });
  return { lists: [...allOf(run, terms, { required, having, texts }), ...lists], allowed: new Set(having), isCut: false };
}

/** Required terms are as rare as what has all of them, which is all that is read of them. */
function allOf(
  run: Run,
  terms: readonly WeightedTerm[],
  { required, having, texts }: { readonly required: readonly string[]; readonly having: readonly number[]; readonly texts: number },
): WeighedPostings[] {
  const rare = rarity(having.length, texts);
  return terms
    .filter(({ term }) => required.includes(term))
    .map(({ term, weight }) => ({ weight: weight * rare, texts: having.length, postings: moreOften(run, term, having, MOST_OF_TERM) }));
}

interface Within {
  readonly texts: number;
  readonly span: Span;
  readonly depth: number;
}

/** Of terms, the rarest first; those of too many documents are passed over where there are others, at first. */
function anyOf(run: Run, terms: readonly AskedTerm[], { texts, span, depth }: Within): Omit<Chosen, "allowed"> {
  const isAlone = terms.length === 1;
  const read = terms.map((each) => ({
    ...each,
    postings: isAlone ? undefined : postingsOf(run, each.term, { most: MOST_OF_TERM, texts }, span),
  }));
  const known = read.flatMap(({ postings, ...each }) => (postings === undefined ? [] : [{ ...each, postings }]));
  const frequent = read.filter(({ postings }) => postings === undefined);
  known.sort((one, other) => one.postings.documents.length - other.postings.documents.length);
  let sum = 0;
  let isCut = false;
  const lists = known.map(({ weight, postings }): WeighedPostings => {
    const count = postings.documents.length;
    sum += count;
    const isTooMany = depth === 0 && sum > MOST_OF_ALL && sum > count;
    isCut ||= isTooMany;
    // One that is nowhere, or passed over, counts for what a text could at most score.
    return { weight: weight * rarity(count, texts), texts: count, postings: isTooMany ? NONE : postings };
  });
  const latest = LATEST_OF_TERM * DEEPER ** (sum === 0 ? depth : depth - 1);
  const of =
    latest < 1
      ? frequent.map(() => NONE)
      : latestPostings(
          run,
          frequent.map(({ term }) => term),
          latest,
          span,
        );
  for (const [at, { weight }] of frequent.entries()) {
    const postings = of[at] ?? NONE;
    const count = isAlone && !postings.isCut ? postings.documents.length : Math.min(MOST_OF_TERM, texts);
    isCut ||= postings.isCut || latest < 1;
    lists.push({ weight: weight * rarity(count, texts), texts: count, postings });
  }
  const asked = [...known, ...frequent];
  const instead = asked.flatMap((each, at) => insteadOf(run, each, lists[at] as WeighedPostings, { texts, span, depth, isAlone }));
  return { lists: [...lists, ...instead], isCut: isCut || instead.some(({ postings }) => postings.isCut) };
}

/** Documents that have something instead of a term, unless enough have the term: first those with another term, then those with one that begins so. */
function insteadOf(
  run: Run,
  { instead, weight }: AskedTerm,
  { texts: having, postings }: WeighedPostings,
  { texts, span, depth, isAlone }: Within & { readonly isAlone: boolean },
): WeighedPostings[] {
  if (instead === undefined || having > ENOUGH_WHOLE) return [];
  const { terms, beginning } = instead;
  const most = MOST_INSTEAD * DEEPER ** depth;
  let known = postings.documents;
  const listOf = (found: readonly number[], isBeginning: boolean): WeighedPostings[] => {
    const documents = without(found, known);
    if (documents.length === 0) return [];
    known = united(known, documents);
    const share = shareOfInstead({ isBeginning, isOnly: isAlone && having > 0 });
    const rare = rarity(Math.max(having, known.length), texts);
    const isCut = found.length >= most;
    return [{ weight: share * weight * rare, texts: documents.length, isInstead: true, postings: { documents, more: [], isCut } }];
  };
  const others = listOf(documentsWithAny(run, terms, most, span), false);
  return beginning === undefined ? others : [...others, ...listOf(documentsBeginning(run, beginning, most, span), true)];
}

const NONE: Postings = { documents: [], more: [], isCut: false };

/** Of terms of too many documents: the latest, and before these the latest that have all of them. */
function latestPostings(run: Run, terms: readonly string[], most: number, span: Span): Postings[] {
  const shared = terms.length < 2 ? [] : documentsWithAll(run, terms, most, span);
  return terms.map((term) => {
    const postings = latestPostingsOf(run, term, most, span);
    return { ...postings, documents: united(postings.documents, shared) };
  });
}

function spanOf(numbers: readonly number[]): Span {
  return { first: numbers[0] as number, last: numbers.at(-1) as number };
}

/** Whether a number is among those, which ascend. */
function has(numbers: readonly number[], number: number): boolean {
  // Not taken out of a list: until the engine knows this code, that would be a tenth of all that a question allocates.
  let from = 0;
  let to = numbers.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    const there = numbers[middle] as number;
    if (there === number) return true;
    if (there < number) from = middle + 1;
    else to = middle;
  }
  return false;
}
