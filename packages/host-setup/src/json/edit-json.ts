import { findNodeAtLocation, getNodeValue, type Node } from "jsonc-parser";
import { layoutOf, spell, type Layout } from "./json-layout.ts";
import type { JsonSource } from "./json-text.ts";

/** The place of a value in a document: names of members, and indexes of items. */
export type JsonPath = readonly (string | number)[];

/** A replacement of a range of a text. */
interface Splice {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

export function nodeAt({ root }: JsonSource, path: JsonPath): Node | undefined {
  return path.length === 0 ? root : findNodeAtLocation(root, [...path]);
}

export function valueAt(source: JsonSource, path: JsonPath): unknown {
  const node = nodeAt(source, path);
  return node === undefined ? undefined : (getNodeValue(node) as unknown);
}

interface Inserted {
  /** Name of the member; absent in an array. */
  readonly name?: string;
  readonly value: unknown;
}

/** Adds a member to an object, or an item to an array. Nothing else of the text changes. */
export function insertInto({ text, root }: JsonSource, container: Node, { name, value }: Inserted): string {
  const layout = layoutOf(text, root);
  const last = container.children?.at(-1);
  const end = container.offset + container.length - 1;
  const at = endOfContent(text, container, end);
  const commaAfterLast = last === undefined ? undefined : commaBehind(text, last, end);
  const isOneLine = last !== undefined && !text.slice(container.offset, end).includes("\n");
  const spelled = spell({ name, value, layout, depth: depthOf(container) + 1, isOneLine });
  const comma = last !== undefined && commaAfterLast === undefined ? [splice(last.offset + last.length, ",")] : [];
  const added = isOneLine ? ` ${spelled}` : layout.eol + indented(layout, depthOf(container) + 1) + spelled;
  const trailing = commaAfterLast === undefined ? "" : ",";
  const closing = text.slice(at, end).includes("\n") || isOneLine ? "" : layout.eol + indented(layout, depthOf(container));
  return applySplices(text, [...comma, splice(at, added + trailing + closing)]);
}

/** Replaces a value. */
export function replaceValue({ text, root }: JsonSource, node: Node, value: unknown): string {
  const spelled = spell({ name: undefined, value, layout: layoutOf(text, root), depth: depthOf(node), isOneLine: false });
  return applySplices(text, [{ from: node.offset, to: node.offset + node.length, text: spelled }]);
}

/** Removes a member or an item, with its comma and the blanks before it. Comments stay. */
export function removeValue({ text }: JsonSource, node: Node): string {
  const element = node.parent?.type === "property" ? node.parent : node;
  const container = element.parent;
  if (container === undefined) return text;
  const siblings = container.children ?? [];
  const index = siblings.indexOf(element);
  const previous = siblings[index - 1];
  const next = siblings[index + 1];
  const end = next?.offset ?? container.offset + container.length - 1;
  const comma = commaBehind(text, element, end);
  const to = comma === undefined ? element.offset + element.length : comma + 1;
  const from = startOfLine(text, element, to);
  const commaBefore = previous === undefined || comma !== undefined ? undefined : commaBehind(text, previous, element.offset);
  const dropped = commaBefore === undefined ? [] : [{ from: commaBefore, to: commaBefore + 1, text: "" }];
  return applySplices(text, [...dropped, { from: Math.max(from, (commaBefore ?? -1) + 1), to, text: "" }]);
}

function splice(at: number, text: string): Splice {
  return { from: at, to: at, text };
}

function applySplices(text: string, splices: readonly Splice[]): string {
  let changed = text;
  for (const { from, to, text: inserted } of splices.toReversed()) changed = changed.slice(0, from) + inserted + changed.slice(to);
  return changed;
}

/** The number of objects and arrays around a node. */
function depthOf(node: Node): number {
  let depth = 0;
  for (let at = node.parent; at !== undefined; at = at.parent) if (at.type !== "property") depth += 1;
  return depth;
}

function indented({ indent }: Layout, depth: number): string {
  return indent.repeat(depth);
}

/** The offset after the last non-blank part of a container: an element, its comma, a comment, or the opening bracket. */
function endOfContent(text: string, container: Node, end: number): number {
  return Math.max(endOfBlanksBefore(text, end), container.offset + 1);
}

/** The offset where a removal begins. The rest of the line must not move up, because the line above may end with a comment. */
function startOfLine(text: string, element: Node, to: number): number {
  const from = endOfBlanksBefore(text, element.offset);
  const isFollowed = text.slice(to, lineEnd(text, to)).trim() !== "";
  return isFollowed && text.slice(from, element.offset).includes("\n") ? element.offset : from;
}

function endOfBlanksBefore(text: string, offset: number): number {
  let at = offset;
  while (at > 0 && /\s/u.test(text.charAt(at - 1))) at -= 1;
  return at;
}

/** The comma after an element; comments may come between. */
function commaBehind(text: string, element: Node, end: number): number | undefined {
  let at = element.offset + element.length;
  while (at < end) {
    if (text.startsWith("//", at)) at = lineEnd(text, at);
    else if (text.startsWith("/*", at)) at = text.indexOf("*/", at) + 2;
    else if (text.charAt(at) === ",") return at;
    else at += 1;
  }
  return undefined;
}

function lineEnd(text: string, offset: number): number {
  const at = text.slice(offset).search(/[\r\n]/u);
  return at < 0 ? text.length : offset + at;
}
