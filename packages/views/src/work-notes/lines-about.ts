import { cut } from "../handoff/read/plain.ts";

/** Lines of an output by their numbers. */
export type NumberedLines = Readonly<Record<string, string>>;

/** Characters of an output that are searched. */
const MOST_SEARCHED = 20_000;
const MOST_LINES = 12;
const LONGEST_LINE = 120;
/** Numbers, names with a sign or a capital inside, and text in backticks: words that seldom match by chance. */
const NAMES = /`[^`\n]{3,80}`|(?<![\w./-])(?=\w*(?:\d\d|_|[a-z][A-Z]))\w{2,60}(?![\w./-]*[\w/])/gu;
/** A line that begins with its own number, as editors, `cat -n` and `grep -n` print it. */
const NUMBERED = /^\s*(\d{1,7})[:\t→|](.*)$/u;

/**
 * The most relevant part of an output: the line with the rarest names of `sought`, and the
 * lines around it. Without such a line, the beginning.
 */
export function linesAbout(output: string, sought: string): NumberedLines {
  const lines = output.slice(0, MOST_SEARCHED).split(/\r?\n/u).map(numbered);
  const told = lines.filter(({ text }) => text.trim() !== "");
  // A name counts as often as it is sought.
  const names = (sought.match(NAMES) ?? []).map((name) => name.replaceAll("`", ""));
  const worth = told.map(() => 0);
  for (const name of names) {
    const places = told.flatMap(({ number, text }, at) => (number === name || text.includes(name) ? [at] : []));
    for (const at of places) worth[at] = (worth[at] ?? 0) + 1 / places.length;
  }
  const best = worth.indexOf(Math.max(...worth));
  const from = Math.max(0, Math.min(best - Math.floor(MOST_LINES / 2), told.length - MOST_LINES));
  return Object.fromEntries(told.slice(from, from + MOST_LINES).map(({ number, text }) => [number, cut(text.trimEnd(), LONGEST_LINE)]));
}

function numbered(line: string, at: number): { readonly number: string; readonly text: string } {
  const [, number = `${at + 1}`, text = line] = NUMBERED.exec(line) ?? [];
  return { number, text };
}
