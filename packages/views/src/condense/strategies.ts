/** All strategies, in the order in which they are applied. `docs/explanation/compression.md` shows examples. */
export const STRATEGIES = ["reduce", "anchor", "select", "hierarchy", "progressive", "telegraph"] as const;

/**
 * - `reduce`: says the same in fewer tokens.
 * - `anchor`: prefers paths, ids, numbers and recurring terms.
 * - `select`: keeps the parts with the most new information per token, or those that match the focus.
 * - `hierarchy`: keeps headings and keys above the kept parts.
 * - `progressive`: drops older parts first.
 * - `telegraph`: leaves out low-information words.
 */
export type StrategyName = (typeof STRATEGIES)[number];
