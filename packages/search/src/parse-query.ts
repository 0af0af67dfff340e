import type { AskedTerm, Substitute } from "@workrail/core";
import { countsOf } from "./related-terms.ts";
import { inflectionsOf } from "./inflections.ts";
import { synonymsOf } from "./synonyms.ts";
import { askedWordsOf, partsIn, termsOf } from "./terms.ts";

/** Parsed search query. */
export interface ParsedQuery {
  /** Each term once. Repetitions raise the weight, each by less. */
  readonly terms: readonly AskedTerm[];
  /** Terms of the phrases. A hit must have all of them. */
  readonly required: readonly string[];
  /** Texts in quotation marks, to be matched literally. Excludes texts without letters or digits. */
  readonly phrases: readonly string[];
  /** True when the query consists of phrases only. A pasted message or JSON has other characters between its quotes. */
  readonly isPhrasesOnly: boolean;
}

/** Occurrences at which a term has half of its maximum weight (`k1` of BM25). */
const SATURATION = 2;

const PHRASE = /"([^"]+)"|“([^”]+)”|„([^“”]+)[“”]|«([^»]+)»/gu;
const LETTER_OR_DIGIT = /[\p{L}\p{Nd}]/u;

/** Parses a search query. An unpaired quotation mark is ignored. Stop words count only when the query has no other terms. */
export function parseQuery(query: string): ParsedQuery {
  const phrases: string[] = [];
  const words = query.replace(PHRASE, (_, ...groups: readonly unknown[]) => {
    phrases.push(groups.slice(0, 4).find((group) => typeof group === "string") as string);
    return " ";
  });
  const required = phrases.flatMap(partsOfPhrase);
  const { terms: others, stopWords, written } = askedWordsOf(words);
  const hasOnlyStopWords = required.length === 0 && others.length === 0;
  const joined = phrases.flatMap(termsOf).filter((term) => !required.includes(term));
  const terms = [...countsOf([...required, ...joined, ...(hasOnlyStopWords ? stopWords : others)])];
  const replaceable = terms.length <= FEW_TERMS ? written : NO_WORDS;
  return {
    terms: terms.map(([term, times]) => ({
      term,
      weight: (times * (1 + SATURATION)) / (times + SATURATION),
      instead: required.includes(term) ? undefined : substituteOf(term, replaceable.get(term)),
    })),
    required: [...new Set(required)],
    phrases: phrases.map((phrase) => phrase.trim()).filter((phrase) => LETTER_OR_DIGIT.test(phrase)),
    isPhrasesOnly: phrases.length > 0 && words.trim() === "",
  };
}

/** Longest query whose terms get substitutes. Longer queries match without them, and each lookup takes time. */
const FEW_TERMS = 4;
const NO_WORDS: ReadonlyMap<string, string> = new Map();
/** Words that are used as prefixes. Shorter ones match too many terms. */
const PREFIX = /^\p{L}{3,}$/u;

function substituteOf(term: string, word: string | undefined): Substitute | undefined {
  if (word === undefined) return undefined;
  const terms = [...new Set([...synonymsOf(term), ...inflectionsOf(word)])];
  const beginning = PREFIX.test(word) ? word : undefined;
  return terms.length === 0 && beginning === undefined ? undefined : { terms, beginning };
}

function partsOfPhrase(text: string): readonly string[] {
  const { terms, stopWords } = partsIn(text);
  return terms.length > 0 ? terms : [...stopWords];
}
