import { termsOf } from "./terms.ts";
import type { WeightedTerm } from "../ports/search-index.ts";

/** What somebody looks for. */
export interface ParsedQuery {
  /** Each once, weighted by how often it is asked for. */
  readonly terms: readonly WeightedTerm[];
  /** Those of phrases: what is found has all of them. */
  readonly required: readonly string[];
  /** Texts in quotation marks, as they are to be found; without those that hold no letter and no digit. */
  readonly phrases: readonly string[];
}

const PHRASE = /"([^"]+)"|“([^”]+)”|„([^“”]+)[“”]|«([^»]+)»/gu;

/** An unpaired quotation mark is none. */
export function parseQuery(query: string): ParsedQuery {
  const phrases: string[] = [];
  const words = query.replace(PHRASE, (_, ...groups: readonly unknown[]) => {
    phrases.push(groups.slice(0, 4).find((group) => typeof group === "string") as string);
    return " ";
  });
  const required = [...new Set(phrases.flatMap(termsOf))];
  const weights = new Map<string, number>();
  for (const term of [...phrases.flatMap(termsOf), ...termsOf(words)]) weights.set(term, (weights.get(term) ?? 0) + 1);
  return {
    terms: [...weights].map(([term, weight]) => ({ term, weight })),
    required,
    phrases: phrases.map((phrase) => phrase.trim()).filter((phrase) => /[\p{L}\p{Nd}]/u.test(phrase)),
  };
}
