import { type Node, stripComments } from "jsonc-parser";
import { insertInto, type JsonPath, nodeAt, removeValue, valueAt } from "./edit-json.ts";
import { isBlankJson, type JsonDialect, type JsonSource, readJsonText, refusal } from "./json-text.ts";

/** A host's JSON file. */
export interface JsonFile {
  readonly file: string;
  readonly dialect: JsonDialect;
}

const NEW_TEXT = "{}\n";
const BOM = "\uFEFF";

/** A text that can take entries: the text of the file, or an empty object for a missing or blank file. */
export function startOf({ file, dialect }: JsonFile, text: string | undefined): JsonSource {
  if (text === undefined) return readJsonText(NEW_TEXT, dialect, file);
  if (!isBlankJson(text, dialect)) return readJsonText(text, dialect, file);
  const gap = text === "" || text === BOM || text.endsWith("\n") ? "" : "\n";
  return readJsonText(text + gap + NEW_TEXT, dialect, file);
}

/** Adds a member, and the missing objects around it. @throws INVALID_INPUT when another value stands where an object must be. */
export function addMember(json: JsonFile, source: JsonSource, path: JsonPath, value: unknown): JsonSource {
  const [depth, container] = deepestThere(json, source, path, "object");
  const name = String(path[depth]);
  const nested = path.slice(depth + 1).reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
  return readJsonText(insertInto(source, container, name, nested), json.dialect, json.file);
}

/** Adds an item to an array, and creates a missing array. @throws INVALID_INPUT when another value stands there. */
export function addItem(json: JsonFile, source: JsonSource, path: JsonPath, item: unknown): JsonSource {
  const array = nodeAt(source, path);
  if (array === undefined) return addMember(json, source, path, [item]);
  demand(json, path, array, "array");
  return readJsonText(insertInto(source, array, undefined, item), json.dialect, json.file);
}

/** The node of the longest existing prefix of a path, and the length of the prefix. */
function deepestThere(json: JsonFile, source: JsonSource, path: JsonPath, type: "object"): readonly [depth: number, node: Node] {
  let found = source.root;
  for (let depth = 0; depth < path.length - 1; depth++) {
    const next = nodeAt(source, path.slice(0, depth + 1));
    if (next === undefined) return [depth, found];
    demand(json, path.slice(0, depth + 1), next, type);
    found = next;
  }
  return [path.length - 1, found];
}

function demand({ file }: JsonFile, path: JsonPath, node: Node, type: "object" | "array"): void {
  if (node.type === type) return;
  const article = type === "object" ? "an object" : "an array";
  throw refusal(file, `"${path.join(".")}" is ${described(node)} there, and must be ${article}`, "Fix it by hand first.");
}

function described(node: Node): string {
  return node.type === "null" ? "null" : `${node.type === "array" || node.type === "object" ? "an" : "a"} ${node.type}`;
}

/** Removes a value, and each container that becomes empty and is not in the original text. */
export function removeWithContainers(json: JsonFile, source: JsonSource, path: JsonPath, before: string | undefined): JsonSource {
  const node = nodeAt(source, path);
  if (node === undefined) return source;
  let left = readJsonText(removeValue(source, node), json.dialect, json.file);
  const original = before === undefined || isBlankJson(before, json.dialect) ? undefined : readJsonText(before, json.dialect, json.file);
  for (let depth = path.length - 1; depth > 0; depth--) {
    const container = nodeAt(left, path.slice(0, depth));
    const wasThere = original !== undefined && nodeAt(original, path.slice(0, depth)) !== undefined;
    if (container === undefined || wasThere || (container.children?.length ?? 0) > 0) break;
    left = readJsonText(removeValue(left, container), json.dialect, json.file);
  }
  return left;
}

/** Tells whether a text holds only an empty object. @param members names of members that are ours, and do not count. */
export function isLeftOver({ file, dialect }: JsonFile, text: string, members: readonly string[] = []): boolean {
  if (isBlankJson(text, dialect)) return text.trim() === "";
  const { root } = readJsonText(text, dialect, file);
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
