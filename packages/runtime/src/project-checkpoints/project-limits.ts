/** Limits of a project checkpoint. Lengths are characters (Unicode code points). */
export const PROJECT_LIMITS = {
  summaryLength: 500,
  descriptionLength: 10_000,
  contextPairs: 50,
  contextKeyLength: 50,
  contextValueLength: 500,
  tags: 20,
  tagLength: 50,
  queryLength: 10_000,
} as const;

/** Page sizes: the defaults of search and listing, and the maximum. */
export const PROJECT_PAGES = { found: 5, listed: 10, most: 100 } as const;
