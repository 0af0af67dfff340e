import { porterStem } from "./porter-stem.ts";
import { isStopWord } from "./stop-words.ts";

/** Longer words, such as encoded files, are indexed by this many characters of their beginning. */
const LONGEST = 64;
/** An identifier with more parts is indexed by its parts only. */
const MOST_PARTS = 12;

/** Patterns that split a text into words. */
interface Patterns {
  /** Joined words: `src/main.ts`, `max_retries`, `well-known`, `ns::name`. */
  readonly compound: RegExp;
  /** Single words. */
  readonly simple: RegExp;
  /** Parts of camelCase words. */
  readonly humps: RegExp;
  /** True when the text may contain scripts without spaces: see `UNSPACED`. */
  readonly hasUnspaced: boolean;
}

const OF_ALL_LETTERS: Patterns = {
  compound: /[\p{L}\p{M}\p{Nd}]+(?:(?:[-._/\\:@#$+~]|::|->)[\p{L}\p{M}\p{Nd}]+)*/gu,
  simple: /[\p{L}\p{M}\p{Nd}]+/gu,
  humps: /\p{Lu}{2,}s(?!\p{Ll})|\p{Lu}+(?=\p{Lu}\p{Ll})|\p{Lu}?\p{Ll}[\p{Ll}\p{Nd}]*|\p{Lu}[\p{Lu}\p{Nd}]*|[\p{Lo}\p{Lm}\p{M}\p{Nd}]+/gu,
  hasUnspaced: true,
};

/** Patterns for ASCII text. They take a third of the time and compile instantly. */
const OF_ASCII: Patterns = {
  compound: /[A-Za-z0-9]+(?:(?:[-._/\\:@#$+~]|::|->)[A-Za-z0-9]+)*/g,
  simple: /[A-Za-z0-9]+/g,
  humps: /[A-Z]{2,}s(?![a-z])|[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z][a-z0-9]*|[A-Z][A-Z0-9]*|[0-9]+/g,
  hasUnspaced: false,
};

/** Letters of scripts that put no spaces between words, or attach endings to them. They are indexed by pairs of adjacent letters. */
export const UNSPACED_LETTERS: string = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー々`;
const UNSPACED = new RegExp(`[${UNSPACED_LETTERS}]+`, "gu");

/**
 * Returns the terms of a text in order, each as often as it occurs: stemmed words without stop words; identifiers, paths and
 * camelCase words both joined and by part; scripts without spaces as pairs of letters. Texts and queries are processed alike.
 * Terms consist of letters and digits only.
 */
export function termsOf(text: string): string[] {
  return wordsOf(text).terms;
}

/** Terms and stop words of a text. */
export interface Words {
  /** Terms as `termsOf` returns them. */
  readonly terms: readonly string[];
  /** Stop words, each once, with a prefix that no term has. They are searched for only when a query has nothing else. */
  readonly stopWords: ReadonlySet<string>;
}

/** Returns the terms and stop words of a text. */
export function wordsOf(text: string): Collected {
  const words: Collected = { terms: [], stopWords: new Set() };
  collect(text, words);
  return words;
}

/** Works like `wordsOf` for a query, and also returns the word behind each term: the possible substitutes depend on the spelling. */
export function askedWordsOf(text: string): Words & { readonly written: ReadonlyMap<string, string> } {
  const words = { terms: [], stopWords: new Set<string>(), written: new Map<string, string>() };
  collect(text, words);
  return words;
}

/**
 * Works like `wordsOf`, but omits terms that a longer text with this text in it may lack: `src/main.ts` has the parts of `main.ts`,
 * but not its joined form, and 日本 has no term for its first letter.
 */
export function partsIn(text: string): Words {
  const words = { terms: [], stopWords: new Set<string>(), isByParts: true };
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
  /** Word in lower case by its term, without parts of identifiers. */
  readonly written?: Map<string, string>;
  /** Omits joined identifiers, and single letters of scripts without spaces. Default false. */
  readonly isByParts?: boolean;
}

/**
 * Normalises text that looks or reads the same: removes accents on Latin letters and apostrophes, resolves full width and
 * ligatures. Keeps capitals.
 */
function folded(given: string): string {
  const text = /['’]/.test(given) ? given.replace(APOSTROPHE, "") : given;
  if (isAscii(text)) return text;
  return text.normalize("NFD").replace(ACCENTS, "").normalize("NFKC");
}

/** Includes a possessive `s`. */
const APOSTROPHE = /(?<=\p{L})['’](?:s(?!\p{L}))?/gu;
const ACCENTS = /(?<=\p{Script=Latin})\p{Mn}+/gu;

/** True when the text is ASCII, so that case is the only variation of its letters. */
export function isAscii(text: string): boolean {
  // oxlint-disable-next-line no-control-regex -- ASCII has them too
  return /^[\x00-\x7f]*$/.test(text);
}

/** Timestamp as most programs write it. Date and time of day are indexed separately, down to seconds. */
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

/** True for lower-case letters and digits with at most one capital in front. */
function isPlain(word: string): boolean {
  return /^[A-Z]?[a-z0-9]*$/.test(word);
}

function partsOf(word: string, { humps, hasUnspaced }: Patterns): string[] {
  if (!hasUnspaced) return word.match(humps) ?? [];
  const spaced = word.split(UNSPACED).flatMap((piece) => piece.match(humps) ?? []);
  return [...spaced, ...(word.match(UNSPACED) ?? [])];
}

function addWhole(whole: string, { hasUnspaced }: Patterns, { terms, written, isByParts = false }: Collected): void {
  if (isByParts || (hasUnspaced && UNSPACED_ONCE.test(whole))) return;
  // Indexes the joined form, as a query may write it.
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
  if (letters.length === 1 && into.isByParts !== true) into.terms.push(part);
  for (let at = 0; at + 1 < letters.length; at++) into.terms.push(`${letters[at]}${letters[at + 1]}`);
}

const UNSPACED_ONCE = new RegExp(UNSPACED.source, "u");

/** Prefix of a stop word. */
const STOP_SIGN = "·";

/** Letters and figures such as `32km`, `W2611340`. Words with more changes between the two, such as hexadecimal ones, have no parts. */
const FIGURE_AND_LETTERS = /^(?:([a-z]+)([0-9]+)|([0-9]+)([a-z]+))$/;

function addWord(word: string, { terms, stopWords }: Collected): void {
  if (isStopWord(word)) return void stopWords.add(STOP_SIGN + word);
  terms.push(stemmed(word));
  const [, ...parts] = FIGURE_AND_LETTERS.exec(word) ?? [];
  for (const part of parts) if (part !== undefined && part.length > 1) terms.push(stemmed(part));
}

/** Returns the term of a word in lower case without accents. */
export function termOf(word: string): string {
  return stemmed(word);
}

/** Cache of stems: the same few thousand words recur. */
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
