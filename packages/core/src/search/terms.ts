import { porterStem } from "./porter-stem.ts";
import { isStopWord } from "./stop-words.ts";

/** What is longer than any name, an encoded file for instance, is found by how it begins. */
const LONGEST = 64;
/** An identifier of more parts than this is found by its parts alone. */
const MOST_PARTS = 12;

/** How words are told in a text. */
interface Patterns {
  /** Words that something joins: `src/main.ts`, `max_retries`, `well-known`, `ns::name`. */
  readonly compound: RegExp;
  /** Words that nothing joins. */
  readonly simple: RegExp;
  /** The parts of what is written in camelCase. */
  readonly humps: RegExp;
  /** Whether there may be words that nothing tells apart: see `UNSPACED`. */
  readonly hasUnspaced: boolean;
}

const OF_ALL_LETTERS: Patterns = {
  compound: /[\p{L}\p{M}\p{Nd}]+(?:(?:[-._/\\:@#$+~]|::|->)[\p{L}\p{M}\p{Nd}]+)*/gu,
  simple: /[\p{L}\p{M}\p{Nd}]+/gu,
  humps: /\p{Lu}{2,}s(?!\p{Ll})|\p{Lu}+(?=\p{Lu}\p{Ll})|\p{Lu}?\p{Ll}[\p{Ll}\p{Nd}]*|\p{Lu}[\p{Lu}\p{Nd}]*|[\p{Lo}\p{Lm}\p{M}\p{Nd}]+/gu,
  hasUnspaced: true,
};

/** The same of a text without other letters, which takes a third of the time, and none to be compiled. */
const OF_ASCII: Patterns = {
  compound: /[A-Za-z0-9]+(?:(?:[-._/\\:@#$+~]|::|->)[A-Za-z0-9]+)*/g,
  simple: /[A-Za-z0-9]+/g,
  humps: /[A-Z]{2,}s(?![a-z])|[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z][a-z0-9]*|[A-Z][A-Z0-9]*|[0-9]+/g,
  hasUnspaced: false,
};

/** Scripts that put no spaces between words, or hang endings on them: they are found by each two letters in a row. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー々]+/gu;

/**
 * The terms a text is found by, in their order, each as often as it occurs: its words without stop-words, stemmed;
 * identifiers, paths and camelCase as a whole, without what joins them, and by part; scripts without spaces by pairs of
 * letters. Made alike of what is indexed and of what is asked for. Letters and digits only.
 */
export function termsOf(text: string): string[] {
  return wordsOf(text).terms;
}

/** What a text is made of. */
export interface Words {
  /** As `termsOf` gives them. */
  readonly terms: readonly string[];
  /** Each once, with a sign in front that no term has: they are found only where nothing else is asked for. */
  readonly stopWords: ReadonlySet<string>;
}

/** The terms of a text, and its stop-words. */
export function wordsOf(text: string): Collected {
  const words: Collected = { terms: [], stopWords: new Set() };
  collect(text, words);
  return words;
}

/** The same of a question, with the words that its terms were made of: what a word may be instead depends on how it is written. */
export function askedWordsOf(text: string): Words & { readonly written: ReadonlyMap<string, string> } {
  const words = { terms: [], stopWords: new Set<string>(), written: new Map<string, string>() };
  collect(text, words);
  return words;
}

function collect(text: string, words: Collected): void {
  const plain = folded(text);
  const patterns = isAscii(plain) ? OF_ASCII : OF_ALL_LETTERS;
  for (const compound of plain.match(patterns.compound) ?? []) addTerms(compound, patterns, words);
}

interface Collected extends Words {
  readonly terms: string[];
  readonly stopWords: Set<string>;
  /** Each term by the word it stands for, in small letters; without parts of identifiers. */
  readonly written?: Map<string, string>;
}

/** One form for what looks or reads the same: without accents on Latin letters, full width, ligatures. Capitals stay, apostrophes go. */
function folded(given: string): string {
  const text = /['’]/.test(given) ? given.replace(APOSTROPHE, "") : given;
  if (isAscii(text)) return text;
  return text.normalize("NFD").replace(ACCENTS, "").normalize("NFKC");
}

/** With the `s` behind it. */
const APOSTROPHE = /(?<=\p{L})['’](?:s(?!\p{L}))?/gu;
const ACCENTS = /(?<=\p{Script=Latin})\p{Mn}+/gu;

/** Whether no letter of a text has other forms than its capital. */
export function isAscii(text: string): boolean {
  // oxlint-disable-next-line no-control-regex -- ASCII has them too
  return /^[\x00-\x7f]*$/.test(text);
}

/** A moment as most programs write it: a date and a time of day, each of which may be asked for. Nobody asks for less than seconds. */
const MOMENT = /^(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d(?::\d\d)?)(?:\.\d+)?(?:[Zz]|[-+]\d\d:?\d\d)?$/;

function addTerms(compound: string, patterns: Patterns, into: Collected): void {
  if (isPlain(compound)) return addWrittenWord(compound.toLowerCase(), into);
  const [, date, time] = MOMENT.exec(compound) ?? [];
  for (const each of date === undefined || time === undefined ? [compound] : [date, time]) addCompound(each, patterns, into);
}

function addCompound(compound: string, patterns: Patterns, into: Collected): void {
  const words = compound.match(patterns.simple) ?? [];
  const parts = words.flatMap((word) => (isPlain(word) ? [word] : partsOf(word, patterns)));
  if (parts.length > 1 && parts.length <= MOST_PARTS) addWhole(words.join(""), patterns, into);
  if (parts.length === 1) return addOnly(parts[0] as string, patterns, into);
  for (const part of parts) addPart(part, patterns, into);
}

/** Small letters and digits, with at most a capital in front. */
function isPlain(word: string): boolean {
  return /^[A-Z]?[a-z0-9]*$/.test(word);
}

function partsOf(word: string, { humps, hasUnspaced }: Patterns): string[] {
  if (!hasUnspaced) return word.match(humps) ?? [];
  const spaced = word.split(UNSPACED).flatMap((piece) => piece.match(humps) ?? []);
  return [...spaced, ...(word.match(UNSPACED) ?? [])];
}

function addWhole(whole: string, { hasUnspaced }: Patterns, { terms, written }: Collected): void {
  if (hasUnspaced && UNSPACED_ONCE.test(whole)) return;
  // As it would be if it were asked for without what joins it.
  const word = whole.toLowerCase();
  terms.push(stemmed(word));
  written?.set(stemmed(word), word);
}

function addOnly(word: string, patterns: Patterns, into: Collected): void {
  if (patterns.hasUnspaced && UNSPACED_ONCE.test(word)) return addPart(word, patterns, into);
  addWrittenWord(word.toLowerCase(), into);
}

function addWrittenWord(word: string, into: Collected): void {
  addWord(word, into);
  if (!isStopWord(word)) into.written?.set(stemmed(word), word);
}

function addPart(part: string, { hasUnspaced }: Patterns, into: Collected): void {
  if (!hasUnspaced || !UNSPACED_ONCE.test(part)) return addWord(part.toLowerCase(), into);
  const letters = Array.from(part);
  if (letters.length === 1) into.terms.push(part);
  for (let at = 0; at + 1 < letters.length; at++) into.terms.push(`${letters[at]}${letters[at + 1]}`);
}

const UNSPACED_ONCE = new RegExp(UNSPACED.source, "u");

/** In front of a stop-word. */
const STOP_SIGN = "·";

/** `32km`, `W2611340`. What changes from letters to figures more often, as hexadecimal digits do, has no parts. */
const FIGURE_AND_LETTERS = /^(?:([a-z]+)([0-9]+)|([0-9]+)([a-z]+))$/;

function addWord(word: string, { terms, stopWords }: Collected): void {
  if (isStopWord(word)) return void stopWords.add(STOP_SIGN + word);
  terms.push(stemmed(word));
  const [, ...parts] = FIGURE_AND_LETTERS.exec(word) ?? [];
  for (const part of parts) if (part !== undefined && part.length > 1) terms.push(stemmed(part));
}

/** The term that a word in small letters without accents is found by. */
export function termOf(word: string): string {
  return stemmed(word);
}

/** The same few thousand words come again and again. */
const STEMS = new Map<string, string>();
const MOST_STEMS = 20_000;

function stemmed(word: string): string {
  const known = STEMS.get(word);
  if (known !== undefined) return known;
  const stem = word.length > LONGEST ? word.slice(0, LONGEST) : porterStem(word);
  if (STEMS.size >= MOST_STEMS) STEMS.clear();
  STEMS.set(word, stem);
  return stem;
}
