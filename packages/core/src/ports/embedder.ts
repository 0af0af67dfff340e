/** What a text is embedded for: to be found, or to find. Some models take them differently. */
export type EmbeddedAs = "text" | "query";

/**
 * Turns texts into vectors that lie the nearer to each other the more alike the texts' meanings are. Used only where the user
 * configured one.
 */
export interface Embedder {
  /** Vectors can be compared with those of the same name, and with no others: the model, and what else makes them differ. */
  readonly name: string;
  /** The length of every vector; `undefined` before the first answer. */
  readonly dimensions: number | undefined;
  /**
   * Resolves to a vector for each text, in their order, all of one length and none of zeros alone. No text may be empty; one
   * that is too long for the model is embedded by its beginning. May be repeated. Rejects when it cannot, with a message for
   * people that has no word of the texts, and with how long to leave it alone as `details.retryAfterMs` where it was told.
   * Must never keep a text.
   */
  embed(texts: readonly string[], as: EmbeddedAs): Promise<readonly Float32Array[]>;
}
