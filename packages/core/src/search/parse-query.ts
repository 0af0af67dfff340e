import { countsOf } from "./related-terms.ts";
import { inflectionsOf } from "./inflections.ts";
import { synonymsOf } from "./synonyms.ts";
import { askedWordsOf, wordsOf } from "./terms.ts";
import type { AskedTerm, Instead } from "../ports/search-index.ts";

/** What somebody looks for. */
export interface ParsedQuery {
  /** Each once; what is asked for more often weighs more, though less with each time. */
  readonly terms: readonly AskedTerm[];
  /** Those of phrases: what is found has all of them. */
  readonly required: readonly string[];
  /** Texts in quotation marks, as they are to be found; without those that hold no letter and no digit. */
  readonly phrases: readonly string[];
  /** Nothing else was asked for. Of a message or of JSON that was pasted, other signs stand between what is in quotation marks. */
  readonly isPhrasesOnly: boolean;
}

/** How soon asking for a term again stops to count. */
const SATURATION = 2;

const PHRASE = /"([^"]+)"|“([^”]+)”|„([^“”]+)[“”]|«([^»]+)»/gu;
const LETTER_OR_DIGIT = /[\p{L}\p{Nd}]/u;

/** An unpaired quotation mark is none. Stop-words count where there is nothing else. */
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

/** A question of more says enough, and each other word takes its time to look up. */
const FEW_TERMS = 4;
const NONE: ReadonlyMap<string, string> = new Map();
/** What begins with less is anything. */
const BEGINNING = /^\p{L}{3,}$/u;

function insteadOf(term: string, word: string | undefined): Instead | undefined {
  if (word === undefined) return undefined;
  const terms = [...new Set([...synonymsOf(term), ...inflectionsOf(word)])];
  const beginning = BEGINNING.test(word) ? word : undefined;
  return terms.length === 0 && beginning === undefined ? undefined : { terms, beginning };
}

function askedFor(text: string): readonly string[] {
  const { terms, stopWords } = wordsOf(text);
  return terms.length > 0 ? terms : [...stopWords];
}
