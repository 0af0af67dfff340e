import { isAlike, maxDistance, type TextOfCheckpoint } from "@workrail/core";
import type { Run } from "../derived-database.ts";
import { documentsWith, isTerm } from "@workrail/search";
import { wordListsOf } from "./word-lists.ts";

/** Most words of the index that are compared with a term. */
const MOST_WORDS = 20_000;
/**
 * Number of texts from which words have their own table. FTS5 reads the whole posting list of each word of a range, which takes
 * milliseconds.
 */
const MANY_TEXTS = 5_000;
const SHORTEST = 3;

/** The last Unicode character. */
const LAST = "\u{10ffff}";

const BEGINNING = "SELECT term FROM temp.vocabulary WHERE term > ? AND term < ? ORDER BY doc DESC LIMIT CAST(? AS INTEGER)";
const TERMS = inOneText("temp.vocabulary");
const WORDS = inOneText("word");
const ALL_TERMS = "SELECT group_concat(term, ' ') AS words FROM temp.vocabulary";

/** Creates the table of terms that consist of letters. Small indexes have none: even an empty table takes room. It may have stale terms. */
const KEEP = "CREATE TABLE IF NOT EXISTS word (term TEXT PRIMARY KEY NOT NULL) STRICT, WITHOUT ROWID";
/** Drops the table of words. */
export const FORGET_WORDS = "DROP TABLE IF EXISTS word";

/** True for a term of letters only. Terms with digits are seldom words, and most terms have digits. */
function isWord(term: string): boolean {
  return term.length >= SHORTEST && /^\p{L}+$/u.test(term);
}

/** SQL for the terms of a range whose lengths are in a range, in one text: one row for each term would take longer. */
function inOneText(table: string): string {
  return `SELECT group_concat(term, ' ') AS words FROM (SELECT term FROM ${table} WHERE term >= ? AND term < ? LIMIT CAST(? AS INTEGER))
    WHERE length(term) BETWEEN CAST(? AS INTEGER) AND CAST(? AS INTEGER)`;
}

/** Returns longer terms with a given beginning, those in most documents first. */
export function termsBeginning(run: Run, beginning: string, most: number): readonly string[] {
  const rows = run.all(BEGINNING, beginning, beginning + LAST, most) as readonly { readonly term: string }[];
  return rows.map(({ term }) => term).filter(isTerm);
}

/** Returns at most `most` terms with a given beginning whose spelling is similar to a term. */
export function termsAlike(
  run: Run,
  term: string,
  { beginning, most }: { readonly beginning: string; readonly most: number },
): readonly string[] {
  const isOfWords = isWord(term) && areKept(run);
  // Length in characters, as in SQLite.
  const length = Array.from(term).length;
  const apart = maxDistance(term);
  const { words } = run.get(isOfWords ? WORDS : TERMS, beginning, beginning + LAST, MOST_WORDS, length - apart, length + apart) as {
    readonly words: string | null;
  };
  const found: string[] = [];
  for (const word of words?.split(" ") ?? []) {
    if (!isAlike(term, word) || !isTerm(word)) continue;
    if (!isOfWords || documentsWith(wordListsOf(run), word, 1).length > 0) found.push(word);
    if (found.length === most) break;
  }
  return found;
}

/** Adds the words of new texts to the table of words. Creates the table when the index has become large. */
export function keepWords(run: Run, texts: readonly TextOfCheckpoint[]): void {
  if (!areKept(run)) {
    const { value } = run.get("SELECT value FROM state WHERE key = 'texts'") as { readonly value: number };
    if (value < MANY_TEXTS) return;
    const { words } = run.get(ALL_TERMS) as { readonly words: string };
    run.exec(KEEP);
    return addWords(run, words.split(" "));
  }
  for (const { terms } of texts) addWords(run, terms);
}

function addWords(run: Run, terms: readonly string[]): void {
  for (const term of new Set(terms)) if (isWord(term)) run.run("INSERT OR IGNORE INTO word VALUES (?)", term);
}

/** Deletes words that no document has any more. */
export function dropWords(run: Run): void {
  if (areKept(run)) run.run("DELETE FROM word WHERE term NOT IN (SELECT term FROM temp.vocabulary)");
}

function areKept(run: Run): boolean {
  return run.get("SELECT 1 FROM sqlite_schema WHERE name = 'word'") !== undefined;
}
