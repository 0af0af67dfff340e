/** Strategies that a caller can request by name. */
export const COMPRESSION_STRATEGIES = ["auto", "reduce", "extract", "telegraph", "summary", "progressive"] as const;

/**
 * - `auto`: everything that helps.
 * - `reduce`: only nearly lossless steps, in every entry that is not CRITICAL, regardless of room. Entries that still do not fit
 *   are dropped.
 * - `extract`: the most important passages, verbatim.
 * - `telegraph`: like `extract`, without low-information words.
 * - `summary`: like `extract`, under the headings of the text.
 * - `progressive`: like `extract`, with older parts shorter.
 */
export type CompressionStrategy = (typeof COMPRESSION_STRATEGIES)[number];
