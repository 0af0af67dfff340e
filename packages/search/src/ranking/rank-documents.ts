import type { AskedTerm, IndexQuery, WeightedTerm } from "@workrail/core";
import { ALL_TERMS, rarePreference, rarity, saturation, substituteWeight } from "../bm25.ts";
import { weighRelated } from "../related-terms.ts";
import {
  documentsWithAll,
  documentsBeginning,
  documentsWithAny,
  documentsWithOften,
  EVERYWHERE,
  fewDocumentsWith,
  latestPostingsOf,
  documentLevels,
  OFTEN,
  type Postings,
  postingsOf,
  type Span,
  unionOf,
  without,
  type WordLists,
} from "./postings.ts";
import type { Scores, ScoreSheet } from "./score-sheet.ts";

/** A term in more documents tells little, and reading them takes long: it counts only when no other term does. */
const MOST_OF_TERM = 5_000;
/** Limit of documents for all terms together, rarest terms first. */
const MOST_OF_ALL = 15_000;
/** Latest documents read of a term with too many documents. They suffice to find the best, unless a filter leaves few of them. */
const LATEST_OF_TERM = 500;
/** Factor by which more documents are read when these were not enough. */
const DEEPER = 10;
/** A related term with more documents is skipped. */
const MOST_OF_RELATED = 1_000;
const MOST_REQUIRED = 200_000;
/** A term with more documents needs no substitutes: results would hardly reach the documents with a substitute. */
const ENOUGH_WHOLE = 100;
/** Latest documents read that have a substitute of a term. */
const MOST_INSTEAD = 1_000;

/** Scope of a ranking. */
export interface RankingScope {
  readonly sheet: ScoreSheet;
  /** Number of texts in the whole index. */
  readonly texts: number;
  /** Ascending numbers of the only documents that count. Default: all documents. */
  readonly among?: readonly number[] | undefined;
  /** Number of earlier rankings that did not find enough. Each one more reads further into frequent terms. Default 0. */
  readonly depth?: number;
}

/** Finds and scores documents by BM25, at first as if all texts had average length. */
export class Ranking {
  /** Score of a document that has every term many times. */
  readonly most: number;
  /** True when a deeper ranking may find more documents. */
  readonly isCut: boolean;
  readonly #query: Pick<IndexQuery, "terms" | "required">;
  readonly #scope: RankingScope;
  readonly #lists: readonly WeighedPostings[];
  /** True when documents with all known terms get a bonus: there are several known terms, or substitutes of one. */
  readonly #isForAll: boolean;
  /** Documents with any of the terms. */
  readonly #found: Scores;
  /** Bonus of a document that has a rare term. */
  readonly #bonus: number;
  readonly #rare: readonly number[];
  /** Indexes of the best found documents, best first. */
  #sorted: readonly number[] = [];

  constructor(index: WordLists, query: Pick<IndexQuery, "terms" | "required">, scope: RankingScope) {
    const { lists, allowed, isCut } = chosen(index, query, scope);
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
            .reduce<readonly number[]>((all, { postings }) => unionOf(all, postings.documents), []);
    this.most = whole.reduce((sum, { weight }) => sum + weight, rare.bonus);
    const known = whole.filter(({ postings }) => postings.documents.length > 0).length;
    this.#isForAll = known > 1 || (known === 1 && whole.length < lists.length);
    for (const list of lists) addTo(scope.sheet, list, allowed);
    if (this.#rare.length > 0) scope.sheet.add(this.#rare, rare.bonus, allowed);
    this.#found = scope.sheet.take();
  }

  /** Returns a ranking that reads further into frequent terms. */
  deeper(index: WordLists): Ranking {
    return new Ranking(index, this.#query, { ...this.#scope, depth: (this.#scope.depth ?? 0) + 1 });
  }

  /** Returns `count` documents after the first `from`, best first by rough scores. */
  best(from: number, count: number): readonly number[] {
    const { documents } = this.#found;
    const wanted = Math.min(from + count, documents.length);
    // Sort more than asked for: the next call often asks for a few more.
    if (this.#sorted.length < wanted) this.#sorted = this.#bestFirst(this.#above(2 * wanted));
    return this.#sorted.slice(from, from + count).map((at) => documents[at] as number);
  }

  /**
   * Returns the exact score of a document.
   *
   * @param relativeLength the length of the document against the average.
   * @param related the score for related terms.
   */
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
    // Related terms do not make up for a rare term.
    else score = this.#bonus === 0 ? score + related : Math.max(score, Math.min(score + related, this.#bonus));
    return isWithAll ? score + ALL_TERMS * this.most : score;
  }

  /** Returns the indexes of the best `count` documents and a few more, unsorted: sorting all documents would take most of the time. */
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

/** Number of steps between 0 and the highest score when the best of many documents are selected. */
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
  /** Approximate number of documents with the term; 0 when no document has it. */
  readonly texts: number;
  /** Set for postings of substitutes of a term. */
  readonly isInstead?: true;
  readonly postings: Postings;
}

/** Returns a function of the score that related terms add to a found document, by its number and its length against the average. */
export function relatedScores(
  index: WordLists,
  related: readonly WeightedTerm[],
  texts: number,
): (number: number, relativeLength: number) => number {
  // A term in that many documents tells nothing.
  const telling = related.flatMap((each) => {
    const documents = fewDocumentsWith(index, each.term, { most: MOST_OF_RELATED, texts, span: EVERYWHERE });
    return documents === undefined ? [] : [{ ...each, documents, texts: documents.length }];
  });
  const weighed = weighRelated(telling, texts).map((each) => ({
    ...each,
    often: documentsWithOften(index, each.term.term, MOST_OF_RELATED),
  }));
  return (number, relativeLength) => {
    let sum = 0;
    for (const { term, worth, often } of weighed) {
      if (has(term.documents, number)) sum += worth * saturation(has(often, number) ? OFTEN : 1, relativeLength);
    }
    return sum;
  };
}

/** Postings that are read for a query. */
interface Chosen {
  readonly lists: readonly WeighedPostings[];
  /** The only documents that count. Absent: all count. */
  readonly allowed?: ReadonlySet<number> | undefined;
  readonly isCut: boolean;
}

function chosen(
  index: WordLists,
  { terms, required }: Pick<IndexQuery, "terms" | "required">,
  { texts, among, depth = 0 }: RankingScope,
): Chosen {
  if (among?.length === 0) return { lists: [], isCut: false };
  const span = among === undefined ? EVERYWHERE : spanOf(among);
  const allowed = among === undefined ? undefined : new Set(among);
  if (required.length === 0) return { ...anyOf(index, terms, { texts, span, depth }), allowed };
  const having = documentsWithAll(index, required, { most: MOST_REQUIRED, span }).filter((number) => allowed?.has(number) !== false);
  if (having.length === 0) return { lists: [], isCut: false };
  const others = terms.filter(({ term }) => !required.includes(term));
  const { lists } = anyOf(index, others, { texts, span: spanOf(having), depth });
  return { lists: [...allOf(index, terms, { required, having, texts }), ...lists], allowed: new Set(having), isCut: false };
}

/** Postings of required terms. Only documents with all of them are read, and the number of these gives their rarity. */
function allOf(
  index: WordLists,
  terms: readonly WeightedTerm[],
  { required, having, texts }: { readonly required: readonly string[]; readonly having: readonly number[]; readonly texts: number },
): WeighedPostings[] {
  const rare = rarity(having.length, texts);
  return terms
    .filter(({ term }) => required.includes(term))
    .map(({ term, weight }) => ({
      weight: weight * rare,
      texts: having.length,
      postings: documentLevels(index, term, { documents: having, most: MOST_OF_TERM }),
    }));
}

interface Within {
  readonly texts: number;
  readonly span: Span;
  readonly depth: number;
}

/** Postings of terms, rarest first. At depth 0, terms with too many documents are skipped when there are others. */
function anyOf(index: WordLists, terms: readonly AskedTerm[], { texts, span, depth }: Within): Omit<Chosen, "allowed"> {
  const isAlone = terms.length === 1;
  const read = terms.map((each) => ({
    ...each,
    postings: isAlone ? undefined : postingsOf(index, each.term, { most: MOST_OF_TERM, texts, span }),
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
    // A term that no document has, or that is skipped, still counts for the highest possible score.
    return { weight: weight * rarity(count, texts), texts: count, postings: isTooMany ? NONE : postings };
  });
  const latest = LATEST_OF_TERM * DEEPER ** (sum === 0 ? depth : depth - 1);
  const of =
    latest < 1
      ? frequent.map(() => NONE)
      : latestPostings(
          index,
          frequent.map(({ term }) => term),
          { most: latest, span },
        );
  for (const [at, { weight }] of frequent.entries()) {
    const postings = of[at] ?? NONE;
    const count = isAlone && !postings.isCut ? postings.documents.length : Math.min(MOST_OF_TERM, texts);
    isCut ||= postings.isCut || latest < 1;
    lists.push({ weight: weight * rarity(count, texts), texts: count, postings });
  }
  const asked = [...known, ...frequent];
  const instead = asked.flatMap((each, at) =>
    insteadOf(index, { ...each, found: lists[at] as WeighedPostings }, { texts, span, depth, isAlone }),
  );
  return { lists: [...lists, ...instead], isCut: isCut || instead.some(({ postings }) => postings.isCut) };
}

/**
 * Postings of the substitutes of a term, unless enough documents have the term: first documents with another term, then documents
 * with a term of the same beginning.
 */
function insteadOf(
  index: WordLists,
  { term, instead, weight, found: { texts: having, postings } }: AskedTerm & { readonly found: WeighedPostings },
  { texts, span, depth, isAlone }: Within & { readonly isAlone: boolean },
): WeighedPostings[] {
  if (instead === undefined || having > ENOUGH_WHOLE || index.awaits?.(term) === true) return [];
  const { terms, beginning } = instead;
  const most = MOST_INSTEAD * DEEPER ** depth;
  let known = postings.documents;
  const listOf = (found: readonly number[], isBeginning: boolean): WeighedPostings[] => {
    const documents = without(found, known);
    if (documents.length === 0) return [];
    known = unionOf(known, documents);
    const share = substituteWeight({ isBeginning, isOnly: isAlone && having > 0 });
    const rare = rarity(Math.max(having, known.length), texts);
    const isCut = found.length >= most;
    return [{ weight: share * weight * rare, texts: documents.length, isInstead: true, postings: { documents, more: [], isCut } }];
  };
  const others = listOf(documentsWithAny(index, terms, { most, span }), false);
  return beginning === undefined ? others : [...others, ...listOf(documentsBeginning(index, beginning, { most, span }), true)];
}

const NONE: Postings = { documents: [], more: [], isCut: false };

/** Postings of terms with too many documents: the latest documents of each, and the latest that have all of the terms. */
function latestPostings(index: WordLists, terms: readonly string[], latest: { readonly most: number; readonly span: Span }): Postings[] {
  const shared = terms.length < 2 ? [] : documentsWithAll(index, terms, latest);
  return terms.map((term) => {
    const postings = latestPostingsOf(index, term, latest);
    return { ...postings, documents: unionOf(postings.documents, shared) };
  });
}

function spanOf(numbers: readonly number[]): Span {
  return { first: numbers[0] as number, last: numbers.at(-1) as number };
}

/** True when ascending numbers contain a number. */
function has(numbers: readonly number[], number: number): boolean {
  // No array destructuring: until the engine has optimized this code, that would be a tenth of the allocations of a query.
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
