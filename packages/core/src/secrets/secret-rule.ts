import type { SecretKind } from "../ports/secret-scanner.ts";

/** How to tell one sort of secret. */
export interface SecretRule {
  readonly id: string;
  readonly kind: SecretKind;
  /** The pattern is tried where one of these begins, in any case. Small letters. None: it is tried where a number begins. */
  readonly keywords: readonly string[];
  /**
   * Sticky. What repeats in it is bounded, or cannot fail once it has begun, so that it
   * takes time in proportion to the text. The secret is the group of that name, else all, with the group `head` before it.
   */
  readonly pattern: RegExp;
  /** Where the format is from. */
  readonly source: string;
  /** Of what the pattern matches: whether it is a secret, and not an example or a name. */
  readonly isSecret: (secret: string, match: RegExpExecArray) => boolean;
}

/**
 * Begins what none of these signs may stand before. An escape of JSON, of a URL or of a terminal's colour may, though it ends with
 * a letter. A `+` or `-` joins two words, as in `task-sk-`; a few of them where a word could begin mark a line of a diff or an item of
 * a list.
 */
function startBehindNo(signs: string): string {
  return String.raw`(?<=(?:(?<![${signs}])|(?<=\\[bfnrt])|(?<=%[0-9A-Fa-f]{2})|(?<=\[[\d;]{1,9}m))[+-]{0,4})`;
}

/** Begins a token. */
export const START: string = startBehindNo("A-Za-z0-9_+-");
/** Begins a number of digits and capital letters, which is no part of a longer one, of a path or of a version. */
export const NUMBER_START: string = startBehindNo(String.raw`\w.+/-`);
/** Ends such a number. */
export const NUMBER_END: string = String.raw`(?![\w/]|[.+=-]\w| \d)`;
/** Ends a token of letters and digits. */
export const END: string = String.raw`(?![A-Za-z0-9_])`;
/** A space, a line's end, or one written as an escape. */
export const BLANK: string = String.raw`(?:\s|\\{1,7}[rnt])`;
/** A quote, or one within a JSON text within a JSON text. */
export const QUOTE: string = String.raw`\\{0,7}["']`;
/** Between two arguments of a command: a space, or the strings of a list end and begin there. */
export const ARGUMENT: string = String.raw`(?:[ \t]{1,4}(?:${QUOTE})?|${QUOTE},${BLANK}{0,16}${QUOTE})`;
/**
 * Between two lines of one text: a line's end, the marks of a diff, a quotation, a comment or a table, the number that a tool
 * put before the line, and what parts the strings of a list.
 */
export const LINE_BREAK: string =
  String.raw`(?:${BLANK}|\\{0,7}["'\x60]|[+>|*#,;:=/-]|\d{1,6}(?:\t|\\{1,7}t|[:|→│])` +
  String.raw`|(?:\u001b|\\{1,7}u001[Bb])\[[\d;]{0,9}[mK]){1,24}`;
