import type { JsonValue } from "@workrail/core";

/**
 * Characters that control a display or are invisible: control and direction characters except line ends and tabs, and lone
 * surrogates.
 */
const UNSAFE = /[\p{Cc}\p{Cs}\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu;

/** Makes a stored text safe to show: spells out control characters, as in `\u{202e}`. */
export function plainText(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replaceAll(UNSAFE, (found) => (found === "\n" || found === "\t" ? found : `\\u{${(found.codePointAt(0) ?? 0).toString(16)}}`));
}

/** Formats a text as one line of inline code that it cannot terminate. */
export function asCode(text: string): string {
  const line = plainText(text).replaceAll(/\s+/gu, " ");
  const fence = "`".repeat(longestRun(line) + 1);
  const space = /^`|`$/u.test(line) ? " " : "";
  return `${fence}${space}${line}${space}${fence}`;
}

/** Formats stored text as a fenced block that it cannot terminate. */
export function fenced(text: string): string {
  const plain = plainText(text);
  const fence = "`".repeat(Math.max(3, longestRun(plain) + 1));
  return `${fence}text\n${plain}\n${fence}`;
}

function longestRun(text: string): number {
  return (text.match(/`+/gu) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0);
}

/** Formats a value as readable lines: texts unchanged, lists with dashes, members with names. */
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
