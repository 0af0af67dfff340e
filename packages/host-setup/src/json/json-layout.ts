import type { Node } from "jsonc-parser";

/** The layout of a text. */
export interface Layout {
  readonly indent: string;
  readonly eol: string;
}

const USUAL_INDENT = "  ";

/** The layout of a text: its first line end, and the blanks before the first member of its outermost object. */
export function layoutOf(text: string, root: Node): Layout {
  const [eol = "\n"] = /\r?\n/u.exec(text) ?? [];
  return { eol, indent: indentOf(text, root) };
}

function indentOf(text: string, root: Node): string {
  const first = root.children?.[0]?.offset;
  if (first === undefined) return USUAL_INDENT;
  const line = text.slice(text.lastIndexOf("\n", first - 1) + 1, first);
  return /^[ \t]+$/u.test(line) ? line : USUAL_INDENT;
}

export interface Spelling {
  /** Name of the member; `undefined` for an item of an array, or a value alone. */
  readonly name: string | undefined;
  readonly value: unknown;
  readonly layout: Layout;
  readonly depth: number;
  readonly isOneLine: boolean;
}

/** The text of an element, without blanks before it. */
export function spell({ name, value, layout, depth, isOneLine }: Spelling): string {
  const spelled = isOneLine ? inOneLine(value) : inLines(value, layout, depth);
  return name === undefined ? spelled : `${JSON.stringify(name)}: ${spelled}`;
}

function inLines(value: unknown, { indent, eol }: Layout, depth: number): string {
  return JSON.stringify(value, undefined, indent).replaceAll("\n", eol + indent.repeat(depth));
}

/** Spells a value in one line. Line ends in JSON occur only between elements: strings escape them. */
function inOneLine(value: unknown): string {
  return JSON.stringify(value, undefined, 1)
    .replaceAll(/\n\s*(?=[\]}])/gu, "")
    .replaceAll(/([[{])\n\s*/gu, "$1")
    .replaceAll(/\n\s*/gu, " ");
}
