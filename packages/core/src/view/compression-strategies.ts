/** What a caller may ask for by name. */
export const COMPRESSION_STRATEGIES = ["auto", "reduce", "extract", "telegraph", "summary", "progressive"] as const;

/**
 * - `auto`: everything that helps.
 * - `reduce`: only what is nearly lossless, and that in every entry that is not CRITICAL, whether there is room or not.
 *   What does not fit then is dropped.
 * - `extract`: passages as they stand, those that say most.
 * - `telegraph`: the same, without the words that say little.
 * - `summary`: the same as `extract`, under the headings of the text.
 * - `progressive`: the same as `extract`, the older the shorter.
 */
export type CompressionStrategy = (typeof COMPRESSION_STRATEGIES)[number];
