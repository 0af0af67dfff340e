import type { JsonValue } from "../model/context.ts";

/** What a reader's eye, or screen, would obey or not see: all control and direction characters but line ends and tabs, and lone surrogates. */
const UNSAFE = /[\p{Cc}\p{Cs}\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu;

/** A stored text as it can be shown: what would steer its reader is spelt out, as in `\u{202e}`. */
export function plainText(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replaceAll(UNSAFE, (found) => (found === "\n" || found === "\t" ? found : `\\u{${(found.codePointAt(0) ?? 0).toString(16)}}`));
}

/** The same in one line, and in a document's running text: as code, that it cannot end by itself. */
export function asCode(text: string): string {
  const line = plainText(text).replaceAll(/\s+/gu, " ");
  const fence = "`".repeat(longestRun(line) + 1);
  const space = /^`|`$/u.test(line) ? " " : "";
  return `${fence}${space}${line}${space}${fence}`;
}

/** Stored texts as a block that nothing in them can end. */
export function fenced(text: string): string {
  const plain = plainText(text);
  const fence = "`".repeat(Math.max(3, longestRun(plain) + 1));
  return `${fence}text\n${plain}\n${fence}`;
}

function longestRun(text: string): number {
  return (text.match(/`+/gu) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0);
}

/** A value as lines that people read: texts as they are, lists with dashes, members by their names. */
export function linesOf(key: string, value: JsonValue): string {
  return nested(`${key}:`, value, "").join("\n");
}

function nested(label: string, value: JsonValue, indent: string): string[] {
  if (typeof value !== "object" || value === null) return textLines(label, String(value), indent);
  const deeper = `${indent}  `;
  const members = Array.isArray(value)
    ? value.flatMap((item) => nested("-", item, deeper))
    : Object.entries(value).flatMap(([key, member]) => nested(`${key}:`, member, deeper));
  return members.length === 0 ? [`${indent}${label} ${Array.isArray(value) ? "none" : "nothing"}`] : [`${indent}${label}`, ...members];
}

function textLines(label: string, text: string, indent: string): string[] {
  const [first = "", ...rest] = text.split("\n");
  return [`${indent}${label} ${first}`, ...rest.map((line) => `${indent}  ${line}`)];
}
