import { isAscii, wordsOf } from "./terms.ts";

/** A line that has terms that were looked for, and which. */
export interface FoundLine {
  readonly line: string;
  readonly terms: ReadonlySet<string>;
}

/** Characters of a snippet. */
const SNIPPET = 280;
const GAP = " … ";
/** Of a line that is full of the words the rest is not looked at. */
const MOST_PLACES = 10_000;

/** Lines with any of the terms, those with the most first; else in their order. */
export function findLines(lines: Iterable<string>, terms: ReadonlyMap<string, number>): FoundLine[] {
  return byWeight(linesWith(lines, terms), terms);
}

/** As `findLines`, without those that stand behind the first that has all of the terms: there is no better one. */
export function findBestLines(lines: Iterable<string>, terms: ReadonlyMap<string, number>): FoundLine[] {
  const found: FoundLine[] = [];
  for (const each of linesWith(lines, terms)) {
    found.push(each);
    if (each.terms.size === terms.size) break;
  }
  return byWeight(found, terms);
}

function* linesWith(lines: Iterable<string>, terms: ReadonlyMap<string, number>): Generator<FoundLine> {
  const beginnings = beginningsOf(terms.keys());
  for (const line of lines) {
    const inLine = new Set(termsAround(line, beginnings).filter((term) => terms.has(term)));
    if (inLine.size > 0) yield { line, terms: inLine };
  }
}

function byWeight(lines: Iterable<FoundLine>, terms: ReadonlyMap<string, number>): FoundLine[] {
  const weighed = Array.from(lines, (each) => ({ each, weight: [...each.terms].reduce((sum, term) => sum + (terms.get(term) ?? 0), 0) }));
  return weighed.sort((one, other) => other.weight - one.weight).map(({ each }) => each);
}

/** Terms and stop-words of a text, as far as they may begin so. */
function termsAround(text: string, beginnings: ReadonlySet<string> | undefined): readonly string[] {
  const part = around(text, beginnings);
  if (part === "") return [];
  const { terms, stopWords } = wordsOf(part);
  return stopWords.size === 0 ? terms : [...terms, ...stopWords];
}

/** How words begin that may be what is looked for. `undefined` where that cannot be told. */
function beginningsOf(terms: Iterable<string>): ReadonlySet<string> | undefined {
  const beginnings = new Set(Array.from(terms, beginningOf));
  return [...beginnings].every((beginning) => /^[a-z0-9]+$/.test(beginning)) ? beginnings : undefined;
}

/** A stem begins as its words do, but for the last letters: `try` has `tri`, and `dying` `die`. */
function beginningOf(term: string): string {
  if (/^[a-z]{5,}$/.test(term)) return term.slice(0, Math.max(3, term.length - 3));
  if (/^[a-z]ie$/.test(term)) return term.slice(0, 1);
  return term.slice(0, /^[a-z]{2}[iy]$/.test(term) ? 2 : 3);
}

/** Of a line what stands between spaces around the places where something begins so, which is nothing of most; all of it where letters have several forms. */
function around(line: string, beginnings: ReadonlySet<string> | undefined): string {
  if (beginnings === undefined || !isAscii(line)) return line;
  const small = line.toLowerCase();
  const pieces: string[] = [];
  for (const beginning of beginnings) {
    for (let at = small.indexOf(beginning), end = 0; at !== -1; at = small.indexOf(beginning, end)) {
      const space = line.indexOf(" ", at);
      end = space === -1 ? line.length : space;
      pieces.push(line.slice(line.lastIndexOf(" ", at) + 1, end));
    }
  }
  return pieces.join(" ");
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
  const from = fullestFrom(startsOf(line, terms), room - 20);
  const begin = wordStart(line, Math.max(0, Math.min(from - 30, line.length - room)));
  const end = begin + room >= line.length ? line.length : wordEnd(line, begin + room);
  return `${begin > 0 ? "…" : ""}${line.slice(begin, end).trim()}${end < line.length ? "…" : ""}`;
}

/** Where words with any of the terms begin, as many as are looked at. */
function startsOf(line: string, terms: ReadonlySet<string>): readonly number[] {
  const beginnings = beginningsOf(terms);
  const starts: number[] = [];
  for (const { 0: word, index } of line.matchAll(/\S+/gu)) {
    if (termsAround(word, beginnings).some((term) => terms.has(term))) starts.push(index);
    if (starts.length === MOST_PLACES) break;
  }
  return starts;
}

/** The first of the places with the most of them in so many characters from there on. */
function fullestFrom(starts: readonly number[], characters: number): number {
  let [fullest, most] = [starts[0] ?? 0, 0];
  let end = 0;
  for (const [at, start] of starts.entries()) {
    while (end < starts.length && (starts[end] as number) < start + characters) end += 1;
    if (end - at > most) [fullest, most] = [start, end - at];
  }
  return fullest;
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

/** What tells whether a text has a phrase: whatever its capitals, and the spaces and ends of lines between its words. */
export function phraseFinder(phrase: string): (text: string) => boolean {
  const words = phrase.split(/\s+/u).map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/gu, String.raw`\$&`));
  // Without what may not stand around it: the engine takes a millisecond to compile letters of all scripts, for each phrase anew.
  const pattern = new RegExp(words.join(String.raw`\s+`), "giu");
  const unspaced = BEGINS_UNSPACED.test(phrase);
  const beginsWord = !unspaced && BEGINS_WITH_LETTER.test(phrase);
  const endsWord = !unspaced && ENDS_WITH_LETTER.test(phrase);
  const isPart = (text: string, from: number, to: number): boolean =>
    (beginsWord && ENDS_WITH_LETTER.test(text.slice(Math.max(0, from - 2), from))) ||
    (endsWord && BEGINS_WITH_LETTER.test(text.slice(to, to + 2)));
  return (text) => {
    pattern.lastIndex = 0;
    for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
      if (!isPart(text, found.index, pattern.lastIndex)) return true;
      // The next place may be within this one.
      pattern.lastIndex = found.index + ((text.codePointAt(found.index) as number) > 0xffff ? 2 : 1);
    }
    return false;
  };
}

const BEGINS_UNSPACED = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u;
const BEGINS_WITH_LETTER = /^[\p{L}\p{Nd}]/u;
const ENDS_WITH_LETTER = /[\p{L}\p{Nd}]$/u;
