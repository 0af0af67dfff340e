import { type JsonValue, singularsOf } from "@workrail/core";
import { FOREIGN_WORDS, linesOf } from "./foreign-words.ts";
import { PHRASES } from "./phrases.ts";
import {
  AUXILIARIES,
  DEMANDS,
  FILLERS,
  FLEETING,
  FOLLOWERS,
  LASTING,
  LATEST,
  LONG_UNITS,
  MODIFIERS,
  OPAQUE,
  ORDERS,
  PREPOSITIONS,
  UNITS,
} from "./vocabulary.ts";
import { roleOf, ROLES } from "./find-head.ts";

/** English translation of a foreign word or phrase. `headFirst` is true when the noun precedes its qualifiers in that language. */
interface Translation {
  readonly english: readonly string[];
  readonly headFirst: boolean;
}

/**
 * Translates German, French, Spanish, Chinese and Japanese words of a key to English and to English word order, so that one set
 * of rules covers all languages. Words that also exist in English stay unchanged. A list as value makes the noun plural:
 * `aufgaben` are tasks.
 */
export function inEnglish(words: readonly string[], value: JsonValue): readonly string[] {
  if (words.every((word) => lookUp(word) === PLAIN && LINKS.get(word) !== "of")) return words;
  const isSurelyForeign = words.length === 1 || words.some((word) => !isEnglishWord(word) && !OF_PHRASES.has(word) && !LINKS.has(word));
  const told: (readonly string[])[] = [];
  let isForeign = false;
  let headFirst = false;
  for (let at = 0; at < words.length;) {
    const [found, length] = longestAt(words, at, isSurelyForeign);
    told.push(found?.english ?? [words[at] ?? ""]);
    isForeign ||= found !== undefined;
    headFirst ||= found?.headFirst === true;
    at += length;
  }
  if (!isForeign) return words;
  const ordered = (headFirst ? headLast(told) : told).flat();
  // `result` with other words is classified by those; a foreign word for results alone means findings.
  if (ordered.length === 1 && ordered[0] === "result") return ["findings"];
  return Array.isArray(value) ? withPlural(ordered) : ordered;
}

function withPlural(words: readonly string[]): readonly string[] {
  const link = words.findIndex((word, at) => at > 0 && PREPOSITIONS.has(word));
  const head = link < 0 ? words.length - 1 : link - 1;
  return words.map((word, at) => (at === head && !word.endsWith("s") ? `${word}s` : word));
}

/** Moves the noun to the end: `étape actuelle` is a current step, `demande client` a client request. */
function headLast(told: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const [first = [], ...rest] = told;
  const noun = first.at(-1) ?? "";
  const isHead = rest.length > 0 && roleOf(noun) !== undefined && !MODIFYING.has(noun);
  return isHead && !rest.some(([word = ""]) => PREPOSITIONS.has(word)) ? [...rest, first] : told;
}

/** Returns the translation of the longest known phrase at the position, and its number of words. */
function longestAt(words: readonly string[], at: number, isSurelyForeign: boolean): readonly [Translation | undefined, number] {
  const word = words[at] ?? "";
  const { translation, isEnglish, isFirst } = lookUp(word);
  if (isFirst) {
    for (let length = Math.min(MOST_WORDS, words.length - at); length > 1; length--) {
      const found = BY_STEM.get(stemOfAll(words.slice(at, at + length)));
      if (found !== undefined) return [found, length];
    }
  }
  const link = at > 0 && at < words.length - 1 ? LINKS.get(word) : undefined;
  if (link !== undefined && (isSurelyForeign || link === "of")) return [{ english: [link], headFirst: link === "of" }, 1];
  if (isEnglish || (!isSurelyForeign && OF_PHRASES.has(word))) return [undefined, 1];
  return [translation, 1];
}

/** Entry of the lookup cache for a word. */
interface Known {
  readonly translation: Translation | undefined;
  readonly isEnglish: boolean;
  /** True when a phrase of several words begins with the word. */
  readonly isFirst: boolean;
}

/** Result for a word without a translation, the usual case. */
const PLAIN: Known = { translation: undefined, isEnglish: true, isFirst: false };

/** Looks up a word in the cache. Contexts repeat the same keys. */
function lookUp(word: string): Known {
  const remembered = REMEMBERED.get(word);
  if (remembered !== undefined) return remembered;
  const known = consider(word);
  if (REMEMBERED.size >= MOST_REMEMBERED) REMEMBERED.clear();
  REMEMBERED.set(word, known);
  return known;
}

const REMEMBERED = new Map<string, Known>();
const MOST_REMEMBERED = 2_000;

function consider(word: string): Known {
  const isFirst = FIRST_OF_MANY.has(stemOf(word));
  const isKnown = isEnglishWord(word);
  const translation = isKnown ? undefined : isWide(word) ? inParts(word) : bySpelling(word);
  return !isFirst && translation === undefined ? PLAIN : { translation, isEnglish: isKnown, isFirst };
}

function bySpelling(word: string): Translation | undefined {
  const found = BY_STEM.get(stemOf(word)) ?? asCompound(word);
  const plain = found === undefined ? word.replaceAll(WRITTEN_UMLAUT, "$1") : word;
  return plain === word ? found : (BY_STEM.get(stemOf(plain)) ?? asCompound(plain));
}

const MOST_WORDS = 4;
/** Function words between other words. Only a word for `of` proves that the key is foreign. */
const LINKS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    of: "de du des del d von",
    the: "die das den dem la le les l el los las",
    for: "für pour para",
    with: "mit avec con",
    to: "zu zur zum à",
    from: "aus",
    about: "über sur sobre",
    without: "ohne sans sin",
    in: "im dans en",
    by: "durch par por",
    after: "nach après",
    before: "vor avant",
  }).flatMap(([english, foreign]) => foreign.split(" ").map((word) => [word, english] as const)),
);

/** Splits a German compound: the end is the head, the beginning qualifies it. */
function asCompound(word: string): Translation | undefined {
  const folded = fold(word);
  const shared = SHARED_HEADS.find((head) => folded.endsWith(head) && folded.length - head.length >= LEAST_QUALIFIER);
  if (shared !== undefined) return { english: [shared], headFirst: false };
  const extreme = EXTREME.exec(folded)?.[0];
  if (extreme !== undefined) return { english: [extreme.startsWith("mi") ? "minimum" : "maximum", "value"], headFirst: false };
  for (let start = LEAST_QUALIFIER; start <= folded.length - LEAST_HEAD; start++) {
    const head = COMPOUND_HEADS.get(stemOf(folded.slice(start)));
    if (head === undefined) continue;
    const qualifier = BY_STEM.get(stemOf(folded.slice(0, start)))?.english ?? [];
    return { english: [...qualifier, ...head.english], headFirst: false };
  }
  return undefined;
}

/** Heads that are the same in both languages and end no other English word. */
const SHARED_HEADS = ["plan", "status"];
/** Prefixes for extreme values, before any noun: `höchstgewicht`, `mindestabstand`. */
const EXTREME = /^(?:hochst|maximal|mindest|minimal)(?=[a-z]{4})/;
const LEAST_QUALIFIER = 3;
const LEAST_HEAD = 4;

/** Translates the known words of a key in a script without spaces. The search begins at the end, where the head is. */
function inParts(word: string): Translation | undefined {
  const english: string[] = [];
  const text = word.slice(-LONGEST_READ);
  let isAtEdge = true;
  for (let end = text.length; end > 0;) {
    let start = Math.max(0, end - LONGEST_PART);
    while (start < end && !WIDE.has(text.slice(start, end))) start++;
    // A single character is a word only at the edge of another word, not inside an unknown one.
    const found: Translation | undefined = start < end - (isAtEdge ? 0 : 1) ? WIDE.get(text.slice(start, end)) : undefined;
    if (found !== undefined) english.unshift(...found.english);
    isAtEdge = found !== undefined || PARTICLES.has(text.charAt(end - 1));
    end = found === undefined ? end - 1 : start;
  }
  return english.length === 0 ? undefined : { english, headFirst: false };
}

const LONGEST_READ = 24;
const PARTICLES: ReadonlySet<string> = new Set("のなに的之");

function isWide(word: string): boolean {
  const code = word.charCodeAt(0);
  return code >= 0x3040 && code < 0xa000;
}

function isEnglishWord(word: string): boolean {
  return ENGLISH.has(word) || (!word.endsWith("iones") && singularsOf(word).some((form) => ENGLISH.has(form) || NOT_FOREIGN.has(form)));
}

const MODIFYING: ReadonlySet<string> = new Set(Object.values(MODIFIERS).flatMap((set) => [...set]));
const ENGLISH: ReadonlySet<string> = new Set([
  ...MODIFYING,
  ...[AUXILIARIES, DEMANDS, FILLERS, FLEETING, FOLLOWERS, LASTING, LATEST, LONG_UNITS, OPAQUE, PREPOSITIONS, UNITS].flatMap((set) => [
    ...set,
  ]),
  ...ROLES.keys(),
  ...[...ORDERS].flatMap((phrase) => phrase.split(" ")),
]);
/** English words that look like inflected foreign words. */
const NOT_FOREIGN: ReadonlySet<string> = new Set(
  `such begin beginner decide commander difficult abandon consign temporal origin limiter balancer butter listen listener plane plant
   valid verifier verify detect confirm precise proper tariff fall pan exit luck porter porto`.split(/\s+/),
);
/** Words that are English within phrases, and possibly foreign elsewhere: `resume point`, `where we stand`. */
const OF_PHRASES: ReadonlySet<string> = new Set([...PHRASES.keys()].flatMap((phrase) => phrase.split(" ")));

/** Returns the word without accents and ending, so that all its forms match. */
function stemOf(word: string): string {
  const folded = fold(word);
  const stem = folded.replace(ENDINGS, "");
  return stem.replace(DOUBLED, "$1");
}

function stemOfAll(words: readonly string[]): string {
  return words.map((word) => stemOf(word)).join(" ");
}

const ENDINGS = /(?<=.{4})(?:e[nmrs]|[ao]s|[aeosx]|(?<=[lr])n)+$/;
const DOUBLED = /([bcdfglmnprst])\1$/;

/** Removes accents. */
function fold(word: string): string {
  return ACCENTED.test(word) ? word.normalize("NFD").replaceAll(MARKS, "").replaceAll("ß", "ss") : word;
}

const ACCENTED = /[^a-z]/;
const MARKS = /\p{M}/gu;
/** Umlauts in ASCII spelling. */
const WRITTEN_UMLAUT = /([aou])e/g;

const { Chinese, Japanese, German, French, Spanish } = FOREIGN_WORDS;
const WIDE = translations([Japanese, Chinese], false, (word) => word);
const LONGEST_PART = Math.max(...[...WIDE.keys()].map((word) => word.length));
const COMPOUND_HEADS = new Map(
  [...translations([German], false, stemOf)].filter(
    ([stem, { english }]) => roleOf(english.at(-1) ?? "") !== undefined && !ENGLISH.has(stem) && !OF_PHRASES.has(stem),
  ),
);
const BY_STEM: ReadonlyMap<string, Translation> = new Map([
  ...translations([Spanish, French], true, (phrase) => stemOfAll(phrase.split(/[ -]/))),
  ...translations([German], false, (phrase) => stemOfAll(phrase.split(/[ -]/))),
]);
const FIRST_OF_MANY: ReadonlySet<string> = new Set(
  [...BY_STEM.keys()].filter((key) => key.includes(" ")).map((key) => key.split(" ")[0] ?? ""),
);

function translations(tables: readonly string[], headFirst: boolean, keyOf: (word: string) => string): ReadonlyMap<string, Translation> {
  const lines = tables.flatMap((table) => linesOf(table));
  // The first entry wins, in the order of the tables: nouns come before derived words of the same stem.
  const found = new Map<string, Translation>();
  for (const [english, foreign] of lines) {
    for (const word of foreign) if (!found.has(keyOf(word))) found.set(keyOf(word), { english: english.split(" "), headFirst });
  }
  return found;
}
