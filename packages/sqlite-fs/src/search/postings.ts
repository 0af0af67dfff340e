import type { Run } from "../derived-database.ts";

/** Often, where only that is told apart. */
export const OFTEN = 3;

const OFTEN_MARK = "³";

/** What stands behind a term for occurring at least so often. No term has these letters. */
const MARKS: readonly (readonly [times: number, mark: string])[] = [
  [2, "²"],
  [OFTEN, OFTEN_MARK],
  [6, "⁶"],
];

/** The words FTS5 is given for terms that occur so often: each, and again with a mark for every number of times it reaches. */
export function marked(counts: ReadonlyMap<string, number>): string[] {
  const words: string[] = [];
  for (const [term, times] of counts) {
    words.push(term);
    for (const [least, mark] of MARKS) if (times >= least) words.push(term + mark);
  }
  return words;
}

/** Whether a word of the index is a term, and not one with a mark. */
export function isTerm(word: string): boolean {
  return !MARKS.some(([, mark]) => word.endsWith(mark));
}

/** Documents that have a term, by their numbers, which ascend, and about how often. */
export interface Postings {
  readonly documents: readonly number[];
  /** Those of them that have it at least so often, for each number of times that is told apart. */
  readonly more: readonly (readonly [times: number, documents: readonly number[]])[];
  /** There are more documents than were asked for. */
  readonly isCut: boolean;
}

/** All numbers in one text: a row for each takes ten times as long. */
const NUMBERS = "SELECT group_concat(rowid) AS numbers FROM (SELECT rowid FROM term WHERE term MATCH ? LIMIT ?)";
const NEWEST = "SELECT group_concat(rowid) AS numbers FROM (SELECT rowid FROM term WHERE term MATCH ? ORDER BY rowid DESC LIMIT ?)";

/** @param most documents. Where there are more, it is a part of them, the latest indexed ones if `newest`. */
export function postingsOf(run: Run, term: string, { most, newest = false }: { most: number; newest?: boolean }): Postings {
  const sql = newest ? NEWEST : NUMBERS;
  const documents = numbersIn(run, sql, quoted(term), most + 1);
  const isCut = documents.length > most;
  if (documents.length === 0 || (isCut && !newest)) return { documents, more: [], isCut };
  const more = MARKS.map(([times, mark]): readonly [number, readonly number[]] => [times, numbersIn(run, sql, quoted(term + mark), most)]);
  return { documents, more, isCut };
}

/** Documents that have a term, at most so many, without how often. */
export function documentsWith(run: Run, term: string, most: number): readonly number[] {
  return numbersIn(run, NUMBERS, quoted(term), most);
}

/** Those of them that have it often. */
export function documentsWithOften(run: Run, term: string, most: number): readonly number[] {
  return documentsWith(run, term + OFTEN_MARK, most);
}

/** Documents that have all of the terms. */
export function documentsWithAll(run: Run, terms: readonly string[], most: number): readonly number[] {
  return numbersIn(run, NEWEST, terms.map(quoted).join(" AND "), most);
}

function quoted(term: string): string {
  return `"${term.replaceAll('"', '""')}"`;
}

function numbersIn(run: Run, sql: string, match: string, most: number): readonly number[] {
  const { numbers } = run.get(sql, match, most) as { readonly numbers: string | null };
  const parsed = numbers === null ? [] : (JSON.parse(`[${numbers}]`) as number[]);
  return sql === NEWEST ? parsed.reverse() : parsed;
}
