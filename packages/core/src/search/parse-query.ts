import { countsOf } from "./related-terms.ts";
import { wordsOf } from "./terms.ts";
import type { WeightedTerm } from "../ports/search-index.ts";

/** What somebody looks for. */
export interface ParsedQuery {
  /** Each once; what is asked for more often weighs more, though less with each time. */
  readonly terms: readonly WeightedTerm[];
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
  const others = required.length === 0 ? askedFor(words) : wordsOf(words).terms;
  const terms = [...countsOf([...required, ...others])];
  return {
    terms: terms.map(([term, times]) => ({ term, weight: (times * (1 + SATURATION)) / (times + SATURATION) })),
    required: [...new Set(required)],
    phrases: phrases.map((phrase) => phrase.trim()).filter((phrase) => LETTER_OR_DIGIT.test(phrase)),
    isPhrasesOnly: phrases.length > 0 && words.trim() === "",
  };
}

function askedFor(text: string): readonly string[] {
  const { terms, stopWords } = wordsOf(text);
  return terms.length > 0 ? terms : [...stopWords];
}
