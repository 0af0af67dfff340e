import type { Run } from "../derived-database.ts";

/** Often, where only that is told apart. */
export const OFTEN = 3;

const OFTEN_MARK = "*";

/** What stands behind a term for occurring at least so often: signs that no term has, one byte each. */
const MARKS: readonly (readonly [times: number, mark: string])[] = [
  [2, "+"],
  [OFTEN, OFTEN_MARK],
  [6, "#"],
];

/** For the tokeniser, which would take them for spaces. */
export const MARK_SIGNS: string = MARKS.map(([, mark]) => mark).join("");

/** The words FTS5 is given for terms that occur so often: each, and again with a mark for every number of times it reaches. */
export function marked(counts: ReadonlyMap<string, number>): string[] {
  const words: string[] = [];
  for (const [term, times] of counts) {
    words.push(term);
    for (const [least, mark] of marksOf(term)) if (times >= least) words.push(term + mark);
  }
  return words;
}

/** Of a number only that it occurs more than once: numbers are most of what some texts have. */
function marksOf(term: string): typeof MARKS {
  return /^[0-9]+$/.test(term) ? MARKS.slice(0, 1) : MARKS;
}

/** Whether a word of the index is a term, and not one with a mark. */
export function isTerm(word: string): boolean {
  return !MARK_SIGNS.includes(word.at(-1) ?? "");
}

/** Documents that have a term, by their numbers, which ascend, and about how often. */
export interface Postings {
  readonly documents: readonly number[];
  /** Those of them that have it at least so often, for each number of times that is told apart. */
  readonly more: readonly (readonly [times: number, documents: readonly number[]])[];
  /** There are more documents than were asked for. */
  readonly isCut: boolean;
}

/** The numbers, first and last, between which documents are looked for. */
export interface Span {
  readonly first: number;
  readonly last: number;
}

/** All numbers of documents. */
export const EVERYWHERE: Span = { first: 0, last: Number.MAX_SAFE_INTEGER };

/** A number from JavaScript is a real one, of which FTS5 takes no notice: it would read all of a list. */
const WITHIN = "rowid BETWEEN CAST(? AS INTEGER) AND CAST(? AS INTEGER)";
/** SQLite would look at a bare parameter, and so prepare the statement anew for each question. */
const AT_MOST = "LIMIT CAST(? AS INTEGER)";
/** All numbers in one text, which is JSON: a row for each takes ten times as long. */
const NUMBERS = `SELECT '[' || group_concat(rowid) || ']' AS numbers FROM (SELECT rowid FROM term WHERE term MATCH ? AND ${WITHIN} ${AT_MOST})`;
const LATEST = `SELECT '[' || group_concat(rowid) || ']' AS numbers FROM (SELECT rowid FROM term WHERE term MATCH ? AND ${WITHIN} ORDER BY rowid DESC ${AT_MOST})`;

/** How many documents of a term are few, and of how many texts the index is. */
export interface Few {
  /** Of a term of more documents none are given. */
  readonly most: number;
  readonly texts: number;
}

/** Documents of a span that have a term; `undefined` where there are more than so many. */
export function postingsOf(run: Run, term: string, few: Few, span: Span): Postings | undefined {
  const documents = fewDocumentsWith(run, term, few, span);
  if (documents === undefined) return undefined;
  return { documents, more: documents.length === 0 ? [] : oftenMarked(run, term, { sql: NUMBERS, most: few.most, span }), isCut: false };
}

/** Documents that have a term: where there are more than so many, the latest, and the latest of those that have it more often. */
export function latestPostingsOf(run: Run, term: string, most: number, span: Span): Postings {
  const latest = numbersIn(run, LATEST, quoted(term), most + 1, span);
  const isCut = latest.length > most;
  if (latest.length === 0) return { documents: [], more: [], isCut };
  let documents: readonly number[] = [];
  const more = oftenMarked(run, term, { sql: LATEST, most, span })
    .toReversed()
    .map(([times, numbers]): readonly [number, readonly number[]] => {
      documents = united(numbers, documents);
      return [times, documents];
    });
  return { documents: united(latest, documents), more: more.reverse(), isCut };
}

/** How often documents have a term that all of them have. */
export function moreOften(run: Run, term: string, documents: readonly number[], most: number): Postings {
  const span = { first: documents[0] ?? 0, last: documents.at(-1) ?? 0 };
  return { documents, more: oftenMarked(run, term, { sql: NUMBERS, most, span }), isCut: false };
}

/** Terms that were found to be in more documents than so many, while an index had about so many texts. */
interface Frequent {
  readonly texts: number;
  readonly terms: Map<string, number>;
}

const frequent = new WeakMap<Run, Frequent>();
/** Words that are frequent are few. */
const MOST_FREQUENT = 5_000;
/** An index of more or fewer texts, by one part in so many, is another. */
const OTHER = 10;

/** The same without how often. That a term of the whole index is in more than so many is remembered while the index is about as large. */
export function fewDocumentsWith(run: Run, term: string, { most, texts }: Few, span: Span): readonly number[] | undefined {
  const { terms } = frequentIn(run, texts);
  if (span === EVERYWHERE && (terms.get(term) ?? 0) >= most) return undefined;
  const documents = numbersIn(run, NUMBERS, quoted(term), most + 1, span);
  if (documents.length <= most) return documents;
  if (span === EVERYWHERE && (terms.size < MOST_FREQUENT || terms.has(term))) terms.set(term, most);
  return undefined;
}

function frequentIn(run: Run, texts: number): Frequent {
  let known = frequent.get(run);
  if (known === undefined || Math.abs(known.texts - texts) * OTHER > known.texts) frequent.set(run, (known = { texts, terms: new Map() }));
  return known;
}

/** Documents that have a term, at most so many, without how often. */
export function documentsWith(run: Run, term: string, most: number): readonly number[] {
  return numbersIn(run, NUMBERS, quoted(term), most, EVERYWHERE);
}

/** Those of them that have it often. */
export function documentsWithOften(run: Run, term: string, most: number): readonly number[] {
  return documentsWith(run, term + OFTEN_MARK, most);
}

/** The latest documents that have all of the terms. */
export function documentsWithAll(run: Run, terms: readonly string[], most: number, span: Span): readonly number[] {
  return numbersIn(run, LATEST, terms.map(quoted).join(" AND "), most, span);
}

/** The latest documents that have any of the terms. */
export function documentsWithAny(run: Run, terms: readonly string[], most: number, span: Span): readonly number[] {
  return terms.length === 0 ? [] : numbersIn(run, LATEST, terms.map(quoted).join(" OR "), most, span);
}

/** The latest documents that have any term that begins so. */
export function documentsBeginning(run: Run, beginning: string, most: number, span: Span): readonly number[] {
  return numbersIn(run, LATEST, `${quoted(beginning)} *`, most, span);
}

/** Numbers of the first list that are not in the second; both ascend. */
export function without(numbers: readonly number[], others: readonly number[]): readonly number[] {
  let at = 0;
  return numbers.filter((number) => {
    while (at < others.length && (others[at] as number) < number) at += 1;
    return others[at] !== number;
  });
}

function oftenMarked(
  run: Run,
  term: string,
  { sql, most, span }: { readonly sql: string; readonly most: number; readonly span: Span },
): (readonly [times: number, documents: readonly number[]])[] {
  const found: [number, readonly number[]][] = [];
  for (const [times, mark] of marksOf(term)) {
    const documents = numbersIn(run, sql, quoted(term + mark), most, span);
    // What is nowhere so often is nowhere oftener.
    if (documents.length === 0) break;
    found.push([times, documents]);
  }
  return found;
}

function quoted(term: string): string {
  return `"${term.replaceAll('"', '""')}"`;
}

function numbersIn(run: Run, sql: string, match: string, most: number, { first, last }: Span): readonly number[] {
  const { numbers } = run.get(sql, match, first, last, most) as { readonly numbers: string | null };
  const parsed = numbers === null ? [] : (JSON.parse(numbers) as number[]);
  return sql === LATEST ? parsed.reverse() : parsed;
}

/** Numbers that are in one of two lists, which ascend. */
export function united(one: readonly number[], other: readonly number[]): readonly number[] {
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
