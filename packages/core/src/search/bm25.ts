/** The constants of BM25: how soon a repeated term stops to count, and how much a long text is held against it. */
export const BM25 = { saturation: 2, length: 0.75 } as const;

/**
 * What a text gets for having every term of a question that is in any text, in parts of what one could at most score. BM25 by itself
 * has a text that says one of the words often come before the one that has all of them: asked for three words of one among 1,400
 * abstracts, nDCG@10 is .76 without it and .84 with it; for what abstracts are about it is the same.
 */
export const ALL_TERMS = 0.1;

/** How rare a term is: 0 and more. */
export function rarity(withTerm: number, texts: number): number {
  return Math.log(1 + (texts - withTerm + 0.5) / (withTerm + 0.5));
}

/**
 * What a term that occurs so often counts for, from 0 to 1, to be multiplied by its rarity.
 *
 * @param relativeLength of the text, against that of all on average; in different terms.
 */
export function saturation(times: number, relativeLength: number): number {
  return times / (times + BM25.saturation * (1 - BM25.length + BM25.length * relativeLength));
}
