/** Makes matchers out of regular expressions that other people wrote. */
export interface PatternCompiler {
  /**
   * A function that tells whether the expression, in the syntax of RE2, matches anywhere in a text. It takes time in
   * proportion to the text, whatever text and expression.
   *
   * @throws INVALID_INPUT for an expression that it cannot do so with, such as one that looks ahead or refers back.
   */
  compile(pattern: string): (text: string) => boolean;
}
