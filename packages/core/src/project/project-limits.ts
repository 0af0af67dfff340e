/** What a project checkpoint may be. Lengths are characters, counted as code points of Unicode. */
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

/** How many are answered with when nobody says, and at most. */
export const PROJECT_PAGES = { found: 5, listed: 10, most: 100 } as const;
