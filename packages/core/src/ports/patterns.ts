/** Compiles regular expressions from untrusted authors into matchers. */
export interface PatternCompiler {
  /**
   * Returns a function that tells whether the expression, in RE2 syntax, matches anywhere in a text. Matching takes time linear in
   * the length of the text, for any text and any expression.
   *
   * @throws INVALID_INPUT for an expression that linear matching cannot support, such as lookahead or a back reference.
   */
  compile(pattern: string): (text: string) => boolean;
}
