import { cutToTokens, estimateTokens } from "@workrail/core";
import { isAscii, UNSPACED_LETTERS, wordsOf } from "./terms.ts";

/** Line that contains searched terms. */
export interface FoundLine {
  readonly line: string;
  /** For a very long line, the part with the terms; otherwise the whole line. */
  readonly part: string;
  readonly terms: ReadonlySet<string>;
}

/** Limit of a snippet in characters, and its approximate limit in tokens. */
const SNIPPET = 280;
const SNIPPET_TOKENS = 56;
/** A shorter snippet is extended with the following lines. */
const LEAST_TOKENS = 46;
/** Characters of a line that are sampled to estimate the characters per token. */
const PROBE = 1_000;
const GAP = " … ";
/** Longer lines, such as encoded files, are processed in parts of this many characters. */
const PART = 16 * 1024;
/** Characters kept on each side of a place when no space comes first. */
const WINDOW = 512;
/** Longest word that is handled whole. */
const WORD = 64;
/** After splitting this many characters of very long lines into words, any result is good enough. */
const ENOUGH = 256 * 1024;

/** Terms to search for. */
export interface Wanted {
  /** Weight of each term. */
  readonly terms: ReadonlyMap<string, number>;
  /** Prefixes; a term that starts with one counts a little. Default: none. */
  readonly beginnings?: readonly string[] | undefined;
}

/** Finds lines with any of the terms, highest weight first; ties keep their order. */
export function findLines(lines: Iterable<string>, wanted: Wanted): FoundLine[] {
  return byWeight(linesWith(lines, wanted), wanted);
}

/** Works like `findLines`, but stops at the first line that has all terms: no line is better. */
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

/** Splits a line into parts. Where no space separates parts, they overlap, so that no word is cut in both. */
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

/** Weight of a term that only matches a prefix. */
const LEAST = 0.1;

function byWeight(lines: Iterable<FoundLine>, { terms }: Wanted): FoundLine[] {
  const weighed = Array.from(lines, (each) => ({
    each,
    weight: [...each.terms].reduce((sum, term) => sum + (terms.get(term) ?? LEAST), 0),
  }));
  return weighed.sort((one, other) => other.weight - one.weight).map(({ each }) => each);
}

/** Returns the terms and stop words of a text. */
function termsIn(text: string): readonly string[] {
  if (text === "") return [];
  const { terms, stopWords } = wordsOf(text);
  return stopWords.size === 0 ? terms : [...terms, ...stopWords];
}

/** Returns patterns of prefixes that every matching word starts with; `undefined` when they cannot be determined. */
function beginningsOf(terms: Iterable<string>): readonly RegExp[] | undefined {
  const beginnings = new Set(Array.from(terms, beginningOf));
  if (![...beginnings].every((beginning) => /^[a-z0-9]+$/.test(beginning))) return undefined;
  // A shorter prefix covers the longer ones.
  for (const each of beginnings) {
    for (let end = 1; end < each.length; end++) if (beginnings.has(each.slice(0, end))) beginnings.delete(each);
  }
  return Array.from(beginnings, (beginning) => new RegExp(Array.from(beginning).join(JOINT), "gi"));
}

/** Signs between two letters of a joined term: `maxretries` is a spelling of `max_retries`, and `oclock` of `o'clock`. */
const JOINT = String.raw`[^a-z0-9\s]{0,2}`;

/** Returns the prefix of a stem that its words share. The last letters may differ: `try` has the stem `tri`, `dying` has `die`. */
function beginningOf(term: string): string {
  if (/^[a-z]{5,}$/.test(term)) return term.slice(0, Math.max(3, term.length - 3));
  if (/^[a-z]ie$/.test(term)) return term.slice(0, 1);
  return term.slice(0, /^[a-z]{2}[iy]$/.test(term) ? 2 : 3);
}

/** Returns only the surroundings of the possible matches in a text, which is usually nothing. */
function around(text: string, beginnings: readonly RegExp[] | undefined): string {
  if (beginnings === undefined || !isAscii(text)) return text;
  return placesIn(text, beginnings, WINDOW)
    .map(({ from, to }) => text.slice(from, to))
    .join(" ");
}

/** Place where a prefix matches, with the range to split into words to confirm the match. */
interface Place {
  readonly at: number;
  readonly from: number;
  readonly to: number;
}

/**
 * Finds the possible matches in an ASCII text.
 *
 * @param window characters to examine on each side of a word without an end.
 */
function placesIn(text: string, beginnings: readonly RegExp[], window: number): Place[] {
  const places: Place[] = [];
  const spaced = text.replace(/[\t\v\f]/g, " ");
  for (const beginning of beginnings) {
    beginning.lastIndex = 0;
    for (let found = beginning.exec(text); found !== null; found = beginning.exec(text)) {
      const at = found.index;
      const space = spaced.indexOf(" ", at);
      const end = space === -1 ? text.length : space;
      const isCut = end - at > window;
      const to = isCut ? at + lastJoint(text.slice(at, at + window)) : end;
      places.push({ at, from: beginOfWord(spaced, at, window), to });
      // The cut may lie inside a match.
      beginning.lastIndex = isCut ? Math.max(at + 1, to - WORD) : to;
    }
  }
  return places;
}

/** Returns the start of a word: after a space, or as far back as the window allows. */
function beginOfWord(text: string, at: number, window: number): number {
  const begin = text.lastIndexOf(" ", at) + 1;
  if (at - begin <= window) return begin;
  return at - window + text.slice(at - window, at).search(/[^A-Za-z0-9]/) + 1;
}

/** Returns where an ASCII text can be cut near its end: after its last character that belongs to no word, else at its end. */
function lastJoint(text: string): number {
  for (let at = text.length; at > 1; at--) if (/[^A-Za-z0-9]/.test(text.charAt(at - 1))) return at;
  return text.length;
}

/**
 * Returns a snippet around the terms: from the best line, and from a second line with terms that the first lacks. A short snippet
 * continues with the following lines. Without matching lines, it is the beginning of the text.
 *
 * @param all lines of the text, in order. Default: no lines follow.
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

/** Converts the token limit of a snippet to characters of such a text. */
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

/** False for a key, a tag, or a number after its key. */
function isProse(line: string): boolean {
  return (line.includes(" ") && !/^\S* -?[\d.]+$/.test(line)) || !isAscii(line);
}

/** Returns the part of a line with the most terms, cut between words where possible. */
function cutAround({ line, part, terms }: FoundLine, room: number): string {
  if (line.length <= room) return line;
  const from = fullestFrom(startsOf(part, terms), room - 20);
  const begin = wordStart(part, Math.max(0, Math.min(from - 30, part.length - room)));
  const end = begin + room >= part.length ? part.length : wordEnd(part, begin + room);
  const isFirst = begin === 0 && line.startsWith(part);
  const isLast = end === part.length && line.endsWith(part);
  return `${isFirst ? "" : "…"}${part.slice(begin, end).trim()}${isLast ? "" : "…"}`;
}

/** Returns the offsets of words that contain any of the terms. */
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

/** Fallback for non-ASCII text, or unknown prefixes. */
function wordsAsPlaces(text: string): Place[] {
  return Array.from(text.matchAll(/\S+/gu), ({ 0: word, index }) => ({ at: index, from: index, to: index + word.length }));
}

/** Returns the start of the window of this many characters that contains the most places; the first one of equals. */
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

/** Moves an offset out of a surrogate pair. */
function whole(line: string, at: number): number {
  const code = line.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at + 1 : at;
}

/**
 * Returns a function that tells whether a text contains a phrase, ignoring case, the kind of white space between its words, and how
 * accents and apostrophes are encoded.
 */
export function phraseFinder(phrase: string): (text: string) => boolean {
  const whole = composed(phrase);
  const words = whole.split(/\s+/u).map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/gu, String.raw`\$&`));
  // The pattern has no lookarounds: compiling the letters of all scripts takes a millisecond for each phrase.
  const pattern = new RegExp(words.join(String.raw`\s+`), "giu");
  const beginsWord = BEGINS_WITH_LETTER.test(whole);
  const endsWord = ENDS_WITH_LETTER.test(whole);
  const isPart = (text: string, from: number, to: number): boolean =>
    (beginsWord && ENDS_WITH_LETTER.test(text.slice(Math.max(0, from - 2), from))) ||
    (endsWord && BEGINS_WITH_LETTER.test(text.slice(to, to + 2)));
  return (given) => {
    const text = composed(given);
    pattern.lastIndex = 0;
    for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
      if (!isPart(text, found.index, pattern.lastIndex)) return true;
      // The next match may start inside this one.
      pattern.lastIndex = found.index + ((text.codePointAt(found.index) as number) > 0xffff ? 2 : 1);
    }
    return false;
  };
}

function composed(text: string): string {
  return isAscii(text) ? text : text.normalize("NFC").replaceAll("’", "'");
}

/** Letters and digits of scripts with spaces between words. */
const LETTERS = String.raw`[[\p{L}\p{Nd}]--[${UNSPACED_LETTERS}]]`;
const BEGINS_WITH_LETTER = new RegExp(`^${LETTERS}`, "v");
const ENDS_WITH_LETTER = new RegExp(`${LETTERS}$`, "v");
