import type { SecretKind } from "../ports/secret-scanner.ts";

/** How to tell one sort of secret. */
export interface SecretRule {
  readonly id: string;
  readonly kind: SecretKind;
  /** The pattern is tried where one of these begins, in any case. Small letters. None: it is tried everywhere. */
  readonly keywords: readonly string[];
  /**
   * Sticky where there are keywords, else global. What repeats in it is bounded, or cannot fail once it has begun, so that it
   * takes time in proportion to the text. The secret is the group of that name, else all, with the group `head` before it.
   */
  readonly pattern: RegExp;
  /** Where the format is from. */
  readonly source: string;
  /** Of what the pattern matches: whether it is a secret, and not an example or a name. */
  readonly isSecret: (secret: string, match: RegExpExecArray) => boolean;
}

/**
 * Begins a token: what stands before it cannot belong to it. The letters of an escape in JSON can, and those of one in a URL or
 * of a colour in a terminal.
 */
export const START: string = String.raw`(?:(?<![A-Za-z0-9_+-])|(?<=\\[bfnrt])|(?<=%[0-9A-Fa-f]{2})|(?<=\[[\d;]{1,9}m))`;
/** Ends a token of letters and digits. */
export const END: string = String.raw`(?![A-Za-z0-9_])`;
/** A space, a line's end, or one written as an escape. */
export const BLANK: string = String.raw`(?:\s|\\{1,7}[rnt])`;
/** A quote, or one within a JSON text within a JSON text. */
export const QUOTE: string = String.raw`\\{0,7}["']`;
