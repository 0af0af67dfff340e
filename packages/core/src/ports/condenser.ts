/** Shortens texts in ways that core cannot, such as by a language model. Used only where the user configured one. */
export interface Condenser {
  /** Told with what it made. */
  readonly name: string;
  /**
   * Resolves to a text that says the most important of this one. It may be longer than `budgetTokens`: the caller cuts.
   * May be repeated; need not give the same twice. Rejects when it cannot, with a message for people that has no word of
   * the text. Must never keep the text.
   *
   * @param focus what the text is wanted for.
   */
  condense(text: string, budgetTokens: number, focus?: string): Promise<string>;
}
