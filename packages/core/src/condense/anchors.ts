import { WEIGHTS } from "./weights.ts";
import { isStopWord } from "./words.ts";

/** What a text speaks of: a word, a name, an identifier. */
export interface Term {
  /** The same for every mention. */
  readonly key: string;
  /** How much one expects to need it again, for what it looks like. */
  readonly worth: number;
  /** Whether it is one of a kind, rather than a word. */
  readonly isAnchor: boolean;
}

type Look = keyof typeof WEIGHTS.looks;

/**
 * The anchors and words of a text, each once, in the order of their first mention.
 *
 * @param keys names of members that stand in it, such as `order_id`: they come again with each value, so they are words.
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
    // Elsewhere a file is called by its name alone.
    if (look === "path") for (const [name] of word.matchAll(FILE_NAME)) add(name, look);
  }
  return [...terms.values()];
}

const ANCHORS: ReadonlySet<Look> = new Set<Look>(["path", "identifier", "code", "date", "longNumber"]);
/** What names of members look like. One that is a path or a date tells more than what its value is called. */
const KEYS: ReadonlySet<Look> = new Set<Look>(["identifier", "code"]);

const WORD = /[\p{L}\p{N}_$#@~./\\:+-]*[\p{L}\p{N}_](?:'\p{L}+)?/gu;
const SIGN_FIRST = /^[.:+\-#@~\\]/;
const SIGNS_FIRST = /^[.:+\-#@~\\]+/;
/** What most words of most texts are. */
const SMALL_WORD = /^[a-z]{3,}$/;
const LONGEST_NAME = 120;
/** `main.ts` of `src/main.ts:12`, and nothing of `https://example.org`. */
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
