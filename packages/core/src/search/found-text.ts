import { wordsOf } from "./terms.ts";

/** A line that has terms that were looked for, and which. */
export interface FoundLine {
  readonly line: string;
  readonly terms: ReadonlySet<string>;
}

/** Characters of a snippet. */
const SNIPPET = 280;
const GAP = " … ";

/** Lines with any of the terms, those with the most first; else in their order. */
export function findLines(lines: Iterable<string>, terms: ReadonlyMap<string, number>): FoundLine[] {
  const hint = hintOf(terms);
  const found: (FoundLine & { readonly weight: number })[] = [];
  for (const line of lines) {
    if (!hint.test(line)) continue;
    const inLine = new Set(termsAndStopWords(line).filter((term) => terms.has(term)));
    if (inLine.size === 0) continue;
    found.push({ line, terms: inLine, weight: [...inLine].reduce((sum, term) => sum + (terms.get(term) ?? 0), 0) });
  }
  return found.sort((one, other) => other.weight - one.weight);
}

function termsAndStopWords(text: string): readonly string[] {
  const { terms, stopWords } = wordsOf(text);
  return [...terms, ...stopWords];
}

/** Most lines have nothing of what is looked for: a stem begins as its words do. */
function hintOf(terms: ReadonlyMap<string, number>): RegExp {
  const beginnings = [...terms.keys()].map((term) =>
    /^[a-z]{5,}$/.test(term) ? term.slice(0, Math.max(3, term.length - 3)) : term.slice(0, 3),
  );
  const isPlain = beginnings.every((beginning) => /^[a-z0-9]+$/.test(beginning));
  return isPlain ? new RegExp(beginnings.join("|"), "iu") : /(?:)/u;
}

/** A piece of text with the words: of the best line, and of a second that has what the first lacks. */
export function snippetOf([best, ...others]: readonly FoundLine[]): string | undefined {
  if (best === undefined) return undefined;
  const second = others.find(({ terms }) => [...terms].some((term) => !best.terms.has(term)));
  if (second === undefined) return cutAround(best, SNIPPET);
  const room = (SNIPPET - GAP.length) / 2;
  const shorter = Math.min(room, Math.max(best.line.length, second.line.length), best.line.length, second.line.length);
  const longer = SNIPPET - GAP.length - shorter;
  return [best, second].map((each) => cutAround(each, each.line.length <= room ? room : longer)).join(GAP);
}

/** The part of a line, between words where it can be, that has the most of the terms. */
function cutAround({ line, terms }: FoundLine, room: number): string {
  if (line.length <= room) return line;
  const places = [...line.matchAll(/\S+/gu)].filter(([word]) => termsAndStopWords(word).some((term) => terms.has(term)));
  const starts = places.map(({ index }) => index);
  let [from, most] = [starts[0] ?? 0, 0];
  for (const [at, start] of starts.entries()) {
    const within = starts.slice(at).filter((other) => other < start + room - 20).length;
    if (within > most) [from, most] = [start, within];
  }
  const begin = wordStart(line, Math.max(0, Math.min(from - 30, line.length - room)));
  const end = begin + room >= line.length ? line.length : wordEnd(line, begin + room);
  return `${begin > 0 ? "…" : ""}${line.slice(begin, end).trim()}${end < line.length ? "…" : ""}`;
}

function wordStart(line: string, at: number): number {
  if (at === 0) return 0;
  const space = line.indexOf(" ", at);
  return space === -1 || space > at + 30 ? whole(line, at) : space + 1;
}

function wordEnd(line: string, at: number): number {
  const space = line.lastIndexOf(" ", at);
  return space < at - 30 ? whole(line, at) : space;
}

/** Not between the halves of a character. */
function whole(line: string, at: number): number {
  const code = line.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at + 1 : at;
}

/** Whether a phrase occurs in one of the texts as such: whatever its capitals, and the spaces and ends of lines between its words. */
export function holdsPhrase(texts: Iterable<string>, phrase: string): boolean {
  const pattern = phrase
    .split(/\s+/u)
    .map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/gu, String.raw`\$&`))
    .join(String.raw`\s+`);
  const isWord = (letter: string | undefined): boolean => letter !== undefined && /[\p{L}\p{Nd}]/u.test(letter);
  const unspaced = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u.test(phrase);
  const before = isWord(phrase[0]) && !unspaced ? String.raw`(?<![\p{L}\p{Nd}])` : "";
  const behind = isWord(phrase.at(-1)) && !unspaced ? String.raw`(?![\p{L}\p{Nd}])` : "";
  const expression = new RegExp(before + pattern + behind, "iu");
  for (const text of texts) if (expression.test(text)) return true;
  return false;
}
