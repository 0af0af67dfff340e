import { cutToTokens, estimateTokens } from "../view/estimate-tokens.ts";
import { isAscii, wordsOf } from "./terms.ts";

/** A line that has terms that were looked for, and which. */
export interface FoundLine {
  readonly line: string;
  /** Of a very long line the part that has them; else all of it. */
  readonly part: string;
  readonly terms: ReadonlySet<string>;
}

/** Most characters of a snippet, and about how many tokens it has. */
const SNIPPET = 280;
const SNIPPET_TOKENS = 56;
/** A shorter snippet goes on with what follows. */
const LEAST_TOKENS = 46;
/** Of a line, in characters, to tell how many of them a token has. */
const PROBE = 1_000;
const GAP = " … ";
/** Longer lines, such as encoded files, are looked at in parts of so many characters. */
const PART = 16 * 1024;
/** On each side of a place, where no space comes before. */
const WINDOW = 512;
/** No word is longer, or counts as if it were. */
const WORD = 64;
/** What was found after so many characters of very long lines were taken apart into words is good enough. */
const ENOUGH = 256 * 1024;

/** What is looked for. */
export interface Wanted {
  /** How much each counts. */
  readonly terms: ReadonlyMap<string, number>;
  /** A term that begins so counts a little. Default: none does. */
  readonly beginnings?: readonly string[] | undefined;
}

/** Lines with any of the terms, those with the most first; else in their order. */
export function findLines(lines: Iterable<string>, wanted: Wanted): FoundLine[] {
  return byWeight(linesWith(lines, wanted), wanted);
}

/** As `findLines`, without those that stand behind the first that has all of the terms: there is no better one. */
export function findBestLines(lines: Iterable<string>, wanted: Wanted): FoundLine[] {
  const found: FoundLine[] = [];
  for (const each of linesWith(lines, wanted)) {
    found.push(each);
    if (each.terms.size === wanted.terms.size) break;
  }
  return byWeight(found, wanted);
}

function* linesWith(lines: Iterable<string>, { terms, beginnings: wanted = [] }: Wanted): Generator<FoundLine> {
  const isWanted = (term: string): boolean => terms.has(term) || wanted.some((beginning) => term.startsWith(beginning));
  const beginnings = beginningsOf([...terms.keys(), ...wanted]);
  let characters = 0;
  let isFound = false;
  for (const line of lines) {
    for (const part of line.length <= PART ? [line] : partsOf(line)) {
      const near = around(part, beginnings);
      if (line.length > PART) characters += near.length;
      const inPart = new Set(termsIn(near).filter(isWanted));
      if (inPart.size > 0) yield { line, part, terms: inPart };
      isFound ||= inPart.size > 0;
      if (isFound && characters > ENOUGH) return;
    }
  }
}

/** Where there is no space to part them by, the end of each stands in the next too: no word is cut in both. */
function* partsOf(line: string): Generator<string> {
  let from = 0;
  for (let end = PART; end < line.length; end = from + PART) {
    const space = line.lastIndexOf(" ", end - 1) + 1;
    const to = space > from ? space : whole(line, end);
    yield line.slice(from, to);
    from = space > from ? to : whole(line, to - WORD);
  }
  yield line.slice(from);
}

/** What a term counts for that only begins as one should. */
const LEAST = 0.1;

function byWeight(lines: Iterable<FoundLine>, { terms }: Wanted): FoundLine[] {
  const weighed = Array.from(lines, (each) => ({
    each,
    weight: [...each.terms].reduce((sum, term) => sum + (terms.get(term) ?? LEAST), 0),
  }));
  return weighed.sort((one, other) => other.weight - one.weight).map(({ each }) => each);
}

/** Terms and stop-words of a text. */
function termsIn(text: string): readonly string[] {
  if (text === "") return [];
  const { terms, stopWords } = wordsOf(text);
  return stopWords.size === 0 ? terms : [...terms, ...stopWords];
}

/** How words begin that may be what is looked for. `undefined` where that cannot be told. */
function beginningsOf(terms: Iterable<string>): ReadonlySet<string> | undefined {
  const beginnings = new Set(Array.from(terms, beginningOf));
  if (![...beginnings].every((beginning) => /^[a-z0-9]+$/.test(beginning))) return undefined;
  // What begins longer is found by what begins shorter.
  for (const each of beginnings) {
    for (let end = 1; end < each.length; end++) if (beginnings.has(each.slice(0, end))) beginnings.delete(each);
  }
  return beginnings;
}

/** A stem begins as its words do, but for the last letters: `try` has `tri`, and `dying` `die`. */
function beginningOf(term: string): string {
  if (/^[a-z]{5,}$/.test(term)) return term.slice(0, Math.max(3, term.length - 3));
  if (/^[a-z]ie$/.test(term)) return term.slice(0, 1);
  return term.slice(0, /^[a-z]{2}[iy]$/.test(term) ? 2 : 3);
}

/** Of a text what stands around the places where something may be found, which is nothing of most. */
function around(text: string, beginnings: ReadonlySet<string> | undefined): string {
  if (beginnings === undefined || !isAscii(text)) return text;
  return placesIn(text, beginnings, WINDOW)
    .map(({ from, to }) => text.slice(from, to))
    .join(" ");
}

/** Where something begins as it may, and what must be taken apart to know whether it is that. */
interface Place {
  readonly at: number;
  readonly from: number;
  readonly to: number;
}

/** Of a text in ASCII. @param window so far a word is looked at that does not end, on each side. */
function placesIn(text: string, beginnings: ReadonlySet<string>, window: number): Place[] {
  const places: Place[] = [];
  const small = text.toLowerCase();
  const spaced = text.replace(/[\t\v\f]/g, " ");
  for (const beginning of beginnings) {
    for (let at = small.indexOf(beginning), next = 0; at !== -1; at = small.indexOf(beginning, next)) {
      const space = spaced.indexOf(" ", at);
      const end = space === -1 ? text.length : space;
      const isCut = end - at > window;
      const to = isCut ? at + lastJoint(text.slice(at, at + window)) : end;
      places.push({ at, from: beginOfWord(spaced, at, window), to });
      // What is cut may be cut within what is looked for.
      next = isCut ? Math.max(at + 1, to - WORD) : to;
    }
  }
  return places;
}

/** Behind a space, else as far as it can be told. */
function beginOfWord(text: string, at: number, window: number): number {
  const begin = text.lastIndexOf(" ", at) + 1;
  if (at - begin <= window) return begin;
  return at - window + text.slice(at - window, at).search(/[^A-Za-z0-9]/) + 1;
}

/** Where a text in ASCII can be cut near its end: behind anything that is in no word, else where it ends. */
function lastJoint(text: string): number {
  for (let at = text.length; at > 1; at--) if (/[^A-Za-z0-9]/.test(text.charAt(at - 1))) return at;
  return text.length;
}

/**
 * A piece of text with the words: of the best line, and of a second line that has words that the first lacks; a short one goes on with the
 * lines that follow. Of a text without such lines it is the beginning.
 *
 * @param all lines of the text, in their order. Default: none follow.
 */
export function snippetOf([best, ...others]: readonly FoundLine[], all: readonly string[] = []): string | undefined {
  if (best === undefined) return goneOn("", all) || undefined;
  const room = charactersFor(best.part);
  const second = others.find(({ terms }) => [...terms].some((term) => !best.terms.has(term)));
  if (second === undefined) return goneOn(cutAround(best, room), all.slice(all.indexOf(best.line) + 1));
  const half = (room - GAP.length) / 2;
  const shorter = Math.min(half, best.part.length, second.part.length);
  const longer = room - GAP.length - shorter;
  const both = [best, second].map((each) => cutAround(each, each.part.length <= half ? half : longer));
  return goneOn(both.join(GAP), all.slice(all.indexOf(second.line) + 1));
}

/** As many characters of such a text as a snippet has tokens. */
function charactersFor(text: string): number {
  const probe = text.slice(0, PROBE);
  return Math.min(SNIPPET, Math.floor((SNIPPET_TOKENS * probe.length) / estimateTokens(probe)));
}

function goneOn(snippet: string, following: readonly string[]): string {
  let text = snippet;
  for (const line of following.filter(isProse)) {
    const left = SNIPPET_TOKENS - estimateTokens(text);
    if (left <= SNIPPET_TOKENS - LEAST_TOKENS) break;
    const more = cutToTokens(line, left);
    text += `${text === "" ? "" : GAP}${more}${more.length < line.length ? "…" : ""}`;
  }
  return text;
}

/** Not a key, a tag or a number behind its key. */
function isProse(line: string): boolean {
  return (line.includes(" ") && !/^\S* -?[\d.]+$/.test(line)) || !isAscii(line);
}

/** The part of a line, between words where it can be, that has the most of the terms. */
function cutAround({ line, part, terms }: FoundLine, room: number): string {
  if (line.length <= room) return line;
  const from = fullestFrom(startsOf(part, terms), room - 20);
  const begin = wordStart(part, Math.max(0, Math.min(from - 30, part.length - room)));
  const end = begin + room >= part.length ? part.length : wordEnd(part, begin + room);
  const isFirst = begin === 0 && line.startsWith(part);
  const isLast = end === part.length && line.endsWith(part);
  return `${isFirst ? "" : "…"}${part.slice(begin, end).trim()}${isLast ? "" : "…"}`;
}

/** Where words with any of the terms begin. */
function startsOf(text: string, terms: ReadonlySet<string>): readonly number[] {
  const beginnings = beginningsOf(terms);
  const having = (places: readonly Place[]): number[] => {
    const found = places.filter(({ from, to }) => termsIn(text.slice(from, to)).some((term) => terms.has(term)));
    const starts = new Set(found.map(({ at, from, to }) => (to - from > WORD ? at : from)));
    return [...starts].sort((one, other) => one - other);
  };
  if (beginnings === undefined || !isAscii(text)) return having(wordsAsPlaces(text));
  const near = having(placesIn(text, beginnings, WORD));
  return near.length > 0 ? near : having(placesIn(text, beginnings, WINDOW));
}

/** Where letters have several forms, or nothing is known of beginnings. */
function wordsAsPlaces(text: string): Place[] {
  return Array.from(text.matchAll(/\S+/gu), ({ 0: word, index }) => ({ at: index, from: index, to: index + word.length }));
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
