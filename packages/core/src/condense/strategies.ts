/** The ways to condense there are, in the order they are applied. `docs/explanation/compression.md` shows what each does. */
export const STRATEGIES = ["reduce", "anchor", "select", "hierarchy", "progressive", "telegraph"] as const;

/**
 * `reduce`: says the same in fewer tokens. `anchor`: holds on to paths, ids, numbers and what recurs. `select`: keeps what
 * says most that is new per token, or answers the focus. `hierarchy`: keeps what is kept under its headings and keys.
 * `progressive`: what is older gives way first. `telegraph`: leaves out the words that say little.
 */
export type StrategyName = (typeof STRATEGIES)[number];
