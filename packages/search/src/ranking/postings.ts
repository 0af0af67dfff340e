/** Query for documents of an index. */
export interface AskedDocuments {
  /** Selects documents with all words, any word, or any word that begins with the only one given. */
  readonly having: "all" | "any" | "beginning";
  readonly words: readonly string[];
  readonly span: Span;
  /** Maximum number of documents. */
  readonly most: number;
  /** True: the latest documents, with the highest numbers. False: any documents, the first ones where sorting is free. */
  readonly isLatest: boolean;
}

/** Words of an index, as `marked` makes them, and the documents of each, numbered in the order they were added. */
export interface WordLists {
  /** True when all requested lists come in one round trip: unneeded lists cost less than another round trip. */
  readonly comeTogether?: boolean;
  /** Returns true while the documents of a term are requested but not read: dependent requests can wait. */
  awaits?(term: string): boolean;
  /** Returns ascending numbers of documents. */
  numbers(asked: AskedDocuments): readonly number[];
}

/** Number of occurrences that counts as "often" when only one level is used. */
export const OFTEN = 3;

const OFTEN_MARK = "*";

/** Suffixes of terms by minimum occurrences: one-byte characters that no term contains. */
const MARKS: readonly (readonly [times: number, mark: string])[] = [
  [2, "+"],
  [OFTEN, OFTEN_MARK],
  [6, "#"],
];

/** All marks, for the tokenizer, which would otherwise take them for separators. */
export const MARK_SIGNS: string = MARKS.map(([, mark]) => mark).join("");

/** Returns the words to index for counted terms: each term, and the term with a mark for each level that its count reaches. */
export function marked(counts: ReadonlyMap<string, number>): string[] {
  const words: string[] = [];
  for (const [term, times] of counts) {
    words.push(term);
    for (const [least, mark] of marksOf(term)) if (times >= least) words.push(term + mark);
  }
  return words;
}

/** Marks for a term. A number gets only the first one, because some texts consist mostly of numbers. */
function marksOf(term: string): typeof MARKS {
  return /^[0-9]+$/.test(term) ? MARKS.slice(0, 1) : MARKS;
}

/** True when a word of the index is a term without a mark. */
export function isTerm(word: string): boolean {
  return !MARK_SIGNS.includes(word.at(-1) ?? "");
}

/** Ascending numbers of the documents that have a term, with levels of how often they have it. */
export interface Postings {
  readonly documents: readonly number[];
  /** For each level, the documents that have the term at least that often. */
  readonly more: readonly (readonly [times: number, documents: readonly number[]])[];
  /** True when there are more documents than were asked for. */
  readonly isCut: boolean;
}

/** Range of document numbers of a query, both ends included. */
export interface Span {
  readonly first: number;
  readonly last: number;
}

/** All numbers of documents. */
export const EVERYWHERE: Span = { first: 0, last: Number.MAX_SAFE_INTEGER };

/** Limit of documents of a term, size of the index, and span of the documents. */
export interface TermLimits {
  /** Maximum of documents of a term; none are returned for a term with more. */
  readonly most: number;
  readonly texts: number;
  readonly span: Span;
}

/** Span of documents, and the maximum to return. */
type Latest = Pick<AskedDocuments, "most" | "span">;

/** Returns the postings of a term in a span; `undefined` when the term has too many documents. */
export function postingsOf(lists: WordLists, term: string, limits: TermLimits): Postings | undefined {
  const documents = fewDocumentsWith(lists, term, limits);
  if (documents === undefined) return undefined;
  return {
    documents,
    more: documents.length === 0 ? [] : oftenMarked(lists, term, { most: limits.most, span: limits.span, isLatest: false }),
    isCut: false,
  };
}

/** Returns the latest `most` documents of a term, and the latest `most` documents of each level of occurrences. */
export function latestPostingsOf(lists: WordLists, term: string, { most, span }: Latest): Postings {
  const latest = lists.numbers({ having: "all", words: [term], span, most: most + 1, isLatest: true });
  const isCut = latest.length > most;
  if (latest.length === 0) return { documents: [], more: [], isCut };
  let documents: readonly number[] = [];
  const more = oftenMarked(lists, term, { most, span, isLatest: true })
    .toReversed()
    .map(([times, numbers]): readonly [number, readonly number[]] => {
      documents = unionOf(numbers, documents);
      return [times, documents];
    });
  return { documents: unionOf(latest, documents), more: more.reverse(), isCut };
}

interface Having {
  /** Documents that all have the term. */
  readonly documents: readonly number[];
  /** Maximum of documents of each level. */
  readonly most: number;
}

/** Returns the levels of a term for documents that all have it. */
export function documentLevels(lists: WordLists, term: string, { documents, most }: Having): Postings {
  const span = { first: documents[0] ?? 0, last: documents.at(-1) ?? 0 };
  return { documents, more: oftenMarked(lists, term, { most, span, isLatest: false }), isCut: false };
}

/** Cache of terms with too many documents, and the limit they exceed, for an index of about this many texts. */
interface Frequent {
  readonly texts: number;
  readonly terms: Map<string, number>;
}

const frequent = new WeakMap<WordLists, Frequent>();
/** Maximum of remembered terms; few words are frequent. */
const MOST_FREQUENT = 5_000;
/** The remembered terms are dropped when the number of texts changes by more than one part in `CHANGED_PART`. */
const CHANGED_PART = 10;

/**
 * Returns the documents of a term without levels; `undefined` when there are too many. For the whole index, remembers that a term
 * has too many documents while the size of the index stays about the same.
 */
export function fewDocumentsWith(lists: WordLists, term: string, { most, texts, span }: TermLimits): readonly number[] | undefined {
  const { terms } = frequentIn(lists, texts);
  if (span === EVERYWHERE && (terms.get(term) ?? 0) >= most) return undefined;
  const documents = lists.numbers({ having: "all", words: [term], span, most: most + 1, isLatest: false });
  if (documents.length <= most) return documents;
  if (span === EVERYWHERE && (terms.size < MOST_FREQUENT || terms.has(term))) terms.set(term, most);
  return undefined;
}

function frequentIn(lists: WordLists, texts: number): Frequent {
  let known = frequent.get(lists);
  if (known === undefined || Math.abs(known.texts - texts) * CHANGED_PART > known.texts)
    frequent.set(lists, (known = { texts, terms: new Map() }));
  return known;
}

/** Returns at most `most` documents that have a term, without levels. */
export function documentsWith(lists: WordLists, term: string, most: number): readonly number[] {
  return lists.numbers({ having: "all", words: [term], span: EVERYWHERE, most, isLatest: false });
}

/** Returns at most `most` documents that have a term often. */
export function documentsWithOften(lists: WordLists, term: string, most: number): readonly number[] {
  return documentsWith(lists, term + OFTEN_MARK, most);
}

/** Returns the latest documents that have all of the terms. */
export function documentsWithAll(lists: WordLists, terms: readonly string[], { most, span }: Latest): readonly number[] {
  return lists.numbers({ having: "all", words: terms, span, most, isLatest: true });
}

/** Returns the latest documents that have any of the terms. */
export function documentsWithAny(lists: WordLists, terms: readonly string[], { most, span }: Latest): readonly number[] {
  return terms.length === 0 ? [] : lists.numbers({ having: "any", words: terms, span, most, isLatest: true });
}

/** Returns the latest documents that have any term with a given beginning. */
export function documentsBeginning(lists: WordLists, beginning: string, { most, span }: Latest): readonly number[] {
  return lists.numbers({ having: "beginning", words: [beginning], span, most, isLatest: true });
}

/** Returns the numbers of the first list that are not in the second. Both lists ascend. */
export function without(numbers: readonly number[], others: readonly number[]): readonly number[] {
  let at = 0;
  return numbers.filter((number) => {
    while (at < others.length && (others[at] as number) < number) at += 1;
    return others[at] !== number;
  });
}

function oftenMarked(
  lists: WordLists,
  term: string,
  how: Pick<AskedDocuments, "most" | "span" | "isLatest">,
): (readonly [times: number, documents: readonly number[]])[] {
  const found: [number, readonly number[]][] = [];
  for (const [times, mark] of marksOf(term)) {
    const documents = lists.numbers({ having: "all", words: [term + mark], ...how });
    if (documents.length > 0) found.push([times, documents]);
    // Higher levels have no documents if this one has none.
    else if (lists.comeTogether !== true) break;
  }
  return found;
}

/** Returns the union of two ascending lists. */
export function unionOf(one: readonly number[], other: readonly number[]): readonly number[] {
  if (other.length === 0) return one;
  const numbers: number[] = [];
  for (let [here, there] = [0, 0]; here < one.length || there < other.length;) {
    const left = one[here] ?? Number.POSITIVE_INFINITY;
    const right = other[there] ?? Number.POSITIVE_INFINITY;
    numbers.push(Math.min(left, right));
    if (left <= right) here += 1;
    if (right <= left) there += 1;
  }
  return numbers;
}
