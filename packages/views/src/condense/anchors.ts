import { WEIGHTS } from "./weights.ts";
import { isStopWord } from "./words.ts";

/** Term of a text: a word, a name, or an identifier. */
export interface Term {
  /** The same for every mention. */
  readonly key: string;
  /** Expected need for the term, judged by its form. */
  readonly worth: number;
  /** True for an identifier, path or the like; false for a word. */
  readonly isAnchor: boolean;
}

type Look = keyof typeof WEIGHTS.looks;

/**
 * Returns the terms of a text, each once, in order of first mention.
 *
 * @param keys member names in the text, such as `order_id`. They recur with each value, so they count as words.
 */
export function termsOf(text: string, keys: readonly string[] = []): Term[] {
  const terms = new Map<string, Term>();
  const add = (key: string, look: Look): void => {
    if (!terms.has(key)) terms.set(key, { key, worth: WEIGHTS.looks[look], isAnchor: ANCHORS.has(look) });
  };
  for (const [found] of text.matchAll(WORD)) {
    const word = SIGN_FIRST.test(found) ? found.replace(SIGNS_FIRST, "") : found;
    const look = lookOf(word);
    if (look === undefined) continue;
    const key = look === "word" || look === "name" || look === "short" ? word.toLowerCase() : word;
    add(key, KEYS.has(look) && keys.includes(word) ? "word" : look);
    // Other texts may name a file without its path.
    if (look === "path") for (const [name] of word.matchAll(FILE_NAME)) add(name, look);
  }
  return [...terms.values()];
}

const ANCHORS: ReadonlySet<Look> = new Set<Look>(["path", "identifier", "code", "date", "longNumber"]);
/** Forms of member names. A name that is a path or a date says more than its value. */
const KEYS: ReadonlySet<Look> = new Set<Look>(["identifier", "code"]);

const WORD = /[\p{L}\p{N}_$#@~./\\:+-]*[\p{L}\p{N}_](?:'\p{L}+)?/gu;
const SIGN_FIRST = /^[.:+\-#@~\\]/;
const SIGNS_FIRST = /^[.:+\-#@~\\]+/;
/** Most common form of words, checked first. */
const SMALL_WORD = /^[a-z]{3,}$/;
const LONGEST_NAME = 120;
/** `main.ts` in `src/main.ts:12`; nothing in `https://example.org`. */
const FILE_NAME = /(?<=[/\\])(?<!\/\/)[\p{L}\p{N}_.-]+\.[A-Za-z]\w{0,5}(?=$|[#:])/gu;

function lookOf(word: string): Look | undefined {
  if (word.length > LONGEST_NAME) return "blob";
  if (SMALL_WORD.test(word)) return isStopWord(word) ? undefined : "word";
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
