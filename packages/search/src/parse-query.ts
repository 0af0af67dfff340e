import type { AskedTerm, Substitute } from "@workrail/core";
import { countsOf } from "./related-terms.ts";
import { inflectionsOf } from "./inflections.ts";
import { synonymsOf } from "./synonyms.ts";
import { askedWordsOf, wordsOf } from "./terms.ts";

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

/** How fast repetitions of a term stop counting. */
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
  const required = phrases.flatMap(askedFor);
  const { terms: others, stopWords, written } = askedWordsOf(words);
  const isOfStopWords = required.length === 0 && others.length === 0;
  const terms = [...countsOf([...required, ...(isOfStopWords ? stopWords : others)])];
  const mayBeOthers = terms.length <= FEW_TERMS ? written : NONE;
  return {
    terms: terms.map(([term, times]) => ({
      term,
      weight: (times * (1 + SATURATION)) / (times + SATURATION),
      instead: required.includes(term) ? undefined : insteadOf(term, mayBeOthers.get(term)),
    })),
    required: [...new Set(required)],
    phrases: phrases.map((phrase) => phrase.trim()).filter((phrase) => LETTER_OR_DIGIT.test(phrase)),
    isPhrasesOnly: phrases.length > 0 && words.trim() === "",
  };
}

/** Longest query with substitutes. Longer queries say enough, and each substitute takes time to look up. */
const FEW_TERMS = 4;
const NONE: ReadonlyMap<string, string> = new Map();
/** A shorter prefix would match anything. */
const BEGINNING = /^\p{L}{3,}$/u;

function insteadOf(term: string, word: string | undefined): Substitute | undefined {
  if (word === undefined) return undefined;
  const terms = [...new Set([...synonymsOf(term), ...inflectionsOf(word)])];
  const beginning = BEGINNING.test(word) ? word : undefined;
  return terms.length === 0 && beginning === undefined ? undefined : { terms, beginning };
}

function askedFor(text: string): readonly string[] {
  const { terms, stopWords } = wordsOf(text);
  return terms.length > 0 ? terms : [...stopWords];
}
