/** Shortens texts in ways that rules cannot, for example with a language model. Used only when the user configured one. */
export interface Condenser {
  /** Name reported together with the condensed text. */
  readonly name: string;
  /**
   * Resolves to a text with the most important content of `text`. The result may exceed `budgetTokens`; the caller cuts it. May be
   * repeated; the result may differ. Rejects on failure, with a message for people that contains no word of the text. Must never
   * keep the text.
   *
   * @param focus purpose for which the text is wanted.
   */
  condense(text: string, budgetTokens: number, focus?: string): Promise<string>;
}
