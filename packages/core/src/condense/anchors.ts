import { isStopWord } from "./words.ts";

/** What a text speaks of: a word, a name, an identifier. */
export interface Term {
  /** The same for every mention. */
  readonly key: string;
  /** How much one expects to need it again, for what it looks like. */
  readonly worth: number;
}

/**
 * How much a term is worth for what it looks like. What no one could guess or say in other words - a path, an id, a
 * hash - is lost when it is left out; a word comes again in other sentences. Found by trying on recorded sessions of
 * agents; halving or doubling any of them changes little.
 */
const WORTH = {
  /** `src/main.ts`, `https://example.org/a` */
  path: 3,
  /** `max_retries`, `TimeDelta`, `value.total_seconds` */
  identifier: 3,
  /** `HAT136`, `credit_card_4421486`, `e3b0c442` */
  code: 3,
  /** `2026-01-31`, and times with it */
  date: 2,
  /** `1474`, `2500` and longer: rarely a mere amount */
  longNumber: 2,
  number: 0.7,
  digit: 0.2,
  /** `Seattle`, `GET`; the first word of a sentence too */
  name: 0.9,
  word: 0.35,
  /** Words of one or two letters that are no stop-words */
  short: 0.15,
  /** Longer than any name: an encoded file, a signature */
  blob: 0.2,
} as const;

type Look = keyof typeof WORTH;

/** The anchors and words of a text, each once, in the order of their first mention. */
export function termsOf(text: string): Term[] {
  const terms = new Map<string, Term>();
  for (const [found] of text.matchAll(WORD)) {
    const word = found.replace(/^[.:+\-#@~\\]+/u, "");
    const look = lookOf(word);
    if (look === undefined) continue;
    const key = look === "word" || look === "name" || look === "short" ? word.toLowerCase() : word;
    if (!terms.has(key)) terms.set(key, { key, worth: WORTH[look] });
  }
  return [...terms.values()];
}

const WORD = /[\p{L}\p{N}_$#@~./\\:+-]*[\p{L}\p{N}_](?:'\p{L}+)?/gu;
const LONGEST_NAME = 120;

function lookOf(word: string): Look | undefined {
  if (word.length > LONGEST_NAME) return "blob";
  const hasDigit = /\p{N}/u.test(word);
  if (!/\p{L}/u.test(word)) return hasDigit ? lookOfNumber(word) : undefined;
  if (/[/\\]/u.test(word)) return "path";
  if (hasDigit) return "code";
  if (/[_.:]|\p{Ll}\p{Lu}/u.test(word)) return "identifier";
  if (/^\p{Lu}[\p{Lu}-]+$/u.test(word)) return "name";
  if (isStopWord(word)) return undefined;
  if (word.length < 3) return "short";
  return /^\p{Lu}/u.test(word) ? "name" : "word";
}

function lookOfNumber(word: string): Look {
  if (/^\d{4}-\d\d-\d\d/u.test(word)) return "date";
  if (word.length > 4) return "longNumber";
  return word.length > 2 ? "number" : "digit";
}
