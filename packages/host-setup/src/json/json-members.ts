import { type Node, stripComments } from "jsonc-parser";
import { insertInto, type JsonPath, nodeAt, removeValue, valueAt } from "./edit-json.ts";
import { isBlankJson, type JsonFile, type JsonSource, readJsonText, refusal } from "./json-text.ts";

const NEW_TEXT = "{}\n";
const BOM = "\uFEFF";

/** A text that can take entries: the text of the file, or an empty object for a missing or blank file. */
export function startOf(json: JsonFile, text: string | undefined): JsonSource {
  if (text === undefined) return readJsonText(json, NEW_TEXT);
  if (!isBlankJson(text, json.dialect)) return readJsonText(json, text);
  const gap = text === "" || text === BOM || text.endsWith("\n") ? "" : "\n";
  return readJsonText(json, text + gap + NEW_TEXT);
}

/** Adds a member, and the missing objects around it. @throws INVALID_INPUT when another value stands where an object must be. */
export function addMember(source: JsonSource, path: JsonPath, value: unknown): JsonSource {
  const [depth, container] = deepestThere(source, path);
  const name = String(path[depth]);
  const nested = path.slice(depth + 1).reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
  return readJsonText(source, insertInto(source, container, { name, value: nested }));
}

/** Adds an item to an array, and creates a missing array. @throws INVALID_INPUT when another value stands there. */
export function addItem(source: JsonSource, path: JsonPath, item: unknown): JsonSource {
  const array = nodeAt(source, path);
  if (array === undefined) return addMember(source, path, [item]);
  demand(source, array, { path, type: "array" });
  return readJsonText(source, insertInto(source, array, { value: item }));
}

/** The object at the longest existing prefix of a path, and the length of the prefix. */
function deepestThere(source: JsonSource, path: JsonPath): readonly [depth: number, node: Node] {
  let found = source.root;
  for (let depth = 0; depth < path.length - 1; depth++) {
    const next = nodeAt(source, path.slice(0, depth + 1));
    if (next === undefined) return [depth, found];
    demand(source, next, { path: path.slice(0, depth + 1), type: "object" });
    found = next;
  }
  return [path.length - 1, found];
}

function demand({ file }: JsonFile, node: Node, { path, type }: { readonly path: JsonPath; readonly type: "object" | "array" }): void {
  if (node.type === type) return;
  const article = type === "object" ? "an object" : "an array";
  throw refusal(file, `"${path.join(".")}" is ${described(node)} there, and must be ${article}`, { hint: "Fix it by hand first." });
}

function described(node: Node): string {
  return node.type === "null" ? "null" : `${node.type === "array" || node.type === "object" ? "an" : "a"} ${node.type}`;
}

/** Removes a value, and each container that becomes empty and is not in the original text. */
export function removeWithContainers(source: JsonSource, path: JsonPath, before: string | undefined): JsonSource {
  const node = nodeAt(source, path);
  if (node === undefined) return source;
  let left = readJsonText(source, removeValue(source, node));
  const original = before === undefined || isBlankJson(before, source.dialect) ? undefined : readJsonText(source, before);
  for (let depth = path.length - 1; depth > 0; depth--) {
    const container = nodeAt(left, path.slice(0, depth));
    const wasThere = original !== undefined && nodeAt(original, path.slice(0, depth)) !== undefined;
    if (container === undefined || wasThere || (container.children?.length ?? 0) > 0) break;
    left = readJsonText(source, removeValue(left, container));
  }
  return left;
}

/** Tells whether a text holds only an empty object. @param members names of members that are ours, and do not count. */
export function isLeftOver(json: JsonFile, text: string, members: readonly string[] = []): boolean {
  if (isBlankJson(text, json.dialect)) return text.trim() === "";
  const { root } = readJsonText(json, text);
  const names = (root.children ?? []).map((property) => String(property.children?.[0]?.value));
  const isOurs = names.every((name) => members.includes(name));
  return isOurs && stripComments(text) === text;
}

/** The items of an array; none when it is missing or something else. */
export function itemsAt(source: JsonSource, path: JsonPath): readonly unknown[] {
  const value = valueAt(source, path);
  return Array.isArray(value) ? value : [];
}

/** The members of an object; none when it is missing or something else. */
export function membersAt(source: JsonSource, path: JsonPath): Readonly<Record<string, unknown>> {
  return asRecord(valueAt(source, path));
}

export function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Readonly<Record<string, unknown>>) : {};
}
