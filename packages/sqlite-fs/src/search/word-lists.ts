import type { AskedDocuments, WordLists } from "@workrail/search";
import type { Run } from "../derived-database.ts";

/** Numbers from JavaScript are bound as REAL, and FTS5 ignores such limits: without the cast it would read the whole list. */
const WITHIN = "rowid BETWEEN CAST(? AS INTEGER) AND CAST(? AS INTEGER)";
/** With a bare parameter, SQLite's plan would depend on the value, and each query would prepare the statement anew. */
const AT_MOST = "LIMIT CAST(? AS INTEGER)";
/** Returns all numbers in one JSON text: one row for each takes ten times as long. */
const NUMBERS = `SELECT '[' || group_concat(rowid) || ']' AS numbers FROM (SELECT rowid FROM term WHERE term MATCH ? AND ${WITHIN} ${AT_MOST})`;
const LATEST = `SELECT '[' || group_concat(rowid) || ']' AS numbers FROM (SELECT rowid FROM term WHERE term MATCH ? AND ${WITHIN} ORDER BY rowid DESC ${AT_MOST})`;

const known = new WeakMap<Run, WordLists>();

/** Returns the word lists of FTS5; the same object for the same database, so that cached facts on frequent terms stay. */
export function wordListsOf(run: Run): WordLists {
  let lists = known.get(run);
  if (lists === undefined) known.set(run, (lists = { numbers: (asked) => numbersIn(run, asked) }));
  return lists;
}

function numbersIn(run: Run, { having, words, span, most, isLatest }: AskedDocuments): readonly number[] {
  const match = words.map(quoted).join(having === "any" ? " OR " : " AND ") + (having === "beginning" ? " *" : "");
  const { numbers } = run.get(isLatest ? LATEST : NUMBERS, match, span.first, span.last, most) as { readonly numbers: string | null };
  const parsed = numbers === null ? [] : (JSON.parse(numbers) as number[]);
  return isLatest ? parsed.reverse() : parsed;
}

function quoted(term: string): string {
  return `"${term.replaceAll('"', '""')}"`;
}
