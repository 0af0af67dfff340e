/** Constants of BM25: how fast repetitions of a term stop counting (k1), and how much long texts are penalised (b). */
export const BM25 = { saturation: 2, length: 0.75 } as const;

/**
 * Bonus for a text that has every query term found in any text, as a fraction of the highest score possible. Plain BM25 often
 * ranks a text that repeats one query word above a text with all words. Measured with three words of one among 1,400 abstracts as
 * the query: nDCG@10 is .76 without the bonus and .84 with it. For queries about the topic of abstracts, it makes no difference.
 */
export const ALL_TERMS = 0.1;

/** Inverse document frequency of a term, at least 0. */
export function rarity(withTerm: number, texts: number): number {
  return Math.log(1 + (texts - withTerm + 0.5) / (withTerm + 0.5));
}

/**
 * Term-frequency factor of BM25, from 0 to 1. Multiply it by the rarity.
 *
 * @param relativeLength length of the text relative to the average, counted in different terms.
 */
export function saturation(times: number, relativeLength: number): number {
  return times / (times + BM25.saturation * (1 - BM25.length + BM25.length * relativeLength));
}

/** Share of a term's score for a text that has a substitute instead. */
const INSTEAD = 0.4;
/** Factor on `INSTEAD` for a substitute that only matches as a prefix. */
const BEGINNING = 0.5;

/**
 * Returns the share of a term's score for a text that lacks the term but has a substitute.
 *
 * @param isOnly true when the term is the whole query and some texts have it. These texts get `ALL_TERMS`; no text without the
 * term reaches that much.
 */
export function substituteWeight({ isBeginning, isOnly }: { readonly isBeginning: boolean; readonly isOnly: boolean }): number {
  return (isOnly ? ALL_TERMS : INSTEAD) * (isBeginning ? BEGINNING : 1);
}

/** Query term with the number of texts that contain it. */
export interface KnownTerm {
  /** Includes the rarity. */
  readonly weight: number;
  readonly texts: number;
}

/** Rare terms of a query, and the bonus for a text that has one of them. */
export interface RarePreference {
  readonly bonus: number;
  readonly isRare: (texts: number) => boolean;
}

/** A term is rare when at most this fraction of the texts, or a single text, contains it. */
const RARE_PART = 0.002;
/** A term is frequent when at least this fraction of the texts, and at least `TIMES` the rare threshold, contains it. */
const FREQUENT_PART = 0.04;
const TIMES = 4;
/** Longer queries get no bonus: they describe something, and which of their terms are rare is chance. */
const MOST_TERMS = 8;

/**
 * Gives a text with a rare term as much as all frequent terms could score together: frequent terms say less, however often they
 * occur.
 */
export function rarePreference(terms: readonly KnownTerm[], allTexts: number): RarePreference {
  const mostRare = Math.max(1, RARE_PART * allTexts);
  const leastFrequent = Math.max(TIMES * mostRare, FREQUENT_PART * allTexts);
  const isRare = (texts: number): boolean => texts > 0 && texts <= mostRare;
  if (terms.length > MOST_TERMS || !terms.some(({ texts }) => isRare(texts))) return { bonus: 0, isRare };
  const frequent = terms.filter(({ texts }) => texts >= leastFrequent);
  return { bonus: frequent.reduce((sum, { weight }) => sum + weight, 0), isRare };
}
