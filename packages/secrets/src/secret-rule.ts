import type { SecretKind } from "@workrail/core";

/** Rule for one kind of secret. */
export interface SecretRule {
  readonly id: string;
  readonly kind: SecretKind;
  /** Lower-case keywords; the pattern is tried where one of them starts, ignoring case. Empty: tried where a number starts. */
  readonly keywords: readonly string[];
  /**
   * Sticky pattern. Repetitions are bounded, or cannot fail once started, so that matching takes linear time. The secret is the
   * group `secret` or `quoted`, else the whole match, prefixed by the group `head`.
   */
  readonly pattern: RegExp;
  /** Source of the format. */
  readonly source: string;
  /** Decides whether a match is a secret, and no example or name. */
  readonly isSecret: (secret: string, match: RegExpExecArray) => boolean;
}

/**
 * Pattern of a start that must not follow these characters. Escapes of JSON, URLs or terminal colours may precede it, although
 * they end with a letter. A `+` or `-` joins two words, as in `task-sk-`; at the start of a word, up to four of them mark a diff
 * line or a list item.
 */
function startBehindNo(signs: string): string {
  return String.raw`(?<=(?:(?<![${signs}])|(?<=\\[bfnrt])|(?<=%[0-9A-Fa-f]{2})|(?<=\[[\d;]{1,9}m))[+-]{0,4})`;
}

/** Start of a token. */
export const START: string = startBehindNo("A-Za-z0-9_+-");
/** Start of a number of digits and capital letters that is not part of a longer number, a path or a version. */
export const NUMBER_START: string = startBehindNo(String.raw`\w.+/-`);
/** End of such a number. */
export const NUMBER_END: string = String.raw`(?![\w/]|[.+=-]\w| \d)`;
/** End of a token of letters and digits. */
export const END: string = String.raw`(?![A-Za-z0-9_])`;
/** White space, possibly written as an escape. */
export const BLANK: string = String.raw`(?:\s|\\{1,7}[rnt])`;
/** Quote, possibly escaped in nested JSON. */
export const QUOTE: string = String.raw`\\{0,7}["']`;
/** Separator of two command arguments: a space, or the boundary of two strings in a list. */
export const ARGUMENT: string = String.raw`(?:[ \t]{1,4}(?:${QUOTE})?|${QUOTE},${BLANK}{0,16}${QUOTE})`;
/**
 * Separator of two lines: a line break, marks of a diff, a quotation, a comment or a table, a line number added by a tool, and
 * separators of strings in a list.
 */
export const LINE_BREAK: string =
  String.raw`(?:${BLANK}|\\{0,7}["'\x60]|[+>|*#,;:=/-]|\d{1,6}(?:\t|\\{1,7}t|[:|→│])` +
  String.raw`|(?:\u001b|\\{1,7}u001[Bb])\[[\d;]{0,9}[mK]){1,24}`;
