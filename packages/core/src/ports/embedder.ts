/** Role of an embedded text: searched text or query. Some models treat the two differently. */
export type EmbeddedAs = "text" | "query";

/** Turns texts into vectors. The closer two texts are in meaning, the closer their vectors. Used only when the user configured one. */
export interface Embedder {
  /** Name of the vector space: the model and everything else that affects the vectors. Only vectors of the same name can be compared. */
  readonly name: string;
  /** Length of every vector; `undefined` before the first answer. */
  readonly dimensions: number | undefined;
  /**
   * Resolves to one vector per text, in order, all of the same length and none all zeros. No text may be empty. A text that is too
   * long for the model is embedded by its beginning. May be repeated. Rejects on failure, with a message for people that contains
   * no word of the texts, and with `details.retryAfterMs` when the endpoint asked for a pause. Must never keep a text.
   */
  embed(texts: readonly string[], as: EmbeddedAs): Promise<readonly Float32Array[]>;
}
