import { isJsonObject, type JsonObject, type JsonValue, parseJson } from "@workrail/core";
import { outlineLines } from "./outline-lines.ts";
import type { Group, Unit } from "./outline.ts";
import { isNote } from "./reduce-text.ts";

/** Returns one unit per scalar member, grouped by the keys above it; a long text becomes one unit per line. */
export function outlineData(value: JsonValue, group: Group): Unit[] {
  return outlineMember("", value, group);
}

/** Outlines the value of a key. */
export function outlineMember(key: string, value: JsonValue, group: Group): Unit[] {
  const units: Unit[] = [];
  visit({ value, key, group }, units);
  return units;
}

interface Member {
  readonly value: JsonValue;
  readonly key: string;
  readonly group: Group;
}

function visit({ value, key, group }: Member, units: Unit[]): void {
  if (Array.isArray(value) && !value.every((item) => isScalar(item))) {
    const under: Group = { label: key, parent: group };
    for (const item of value as readonly JsonValue[]) visit({ value: item, key: "", group: under }, units);
  } else if (isJsonObject(value)) {
    visitObject(value, { label: key, parent: group }, units);
  } else if (isLongText(value)) {
    const under: Group = { label: key, parent: group };
    const data = parseData(value);
    for (const unit of data === undefined ? outlineLines(value, under) : outlineData(data, under)) units.push(unit);
  } else {
    const said = Array.isArray(value) ? value.map((item: JsonValue) => plain(item)).join(", ") : plain(value);
    // The value often repeats the name of its object: `id: credit_card_4421486` in `credit_card_4421486`.
    const text = said === group.label ? "" : `${key} ${said}`.trim();
    if (text !== "" && !isNote(said)) units.push({ text, group, joint: ", ", keys: [key] });
  }
}

/** Outlines an object below the member that names it, so that no other member is kept without the name. */
function visitObject(value: JsonObject, group: Group, units: Unit[]): void {
  const entries = Object.entries(value);
  const row = rowOf(entries);
  if (row !== undefined) {
    units.push({ text: row, group, joint: ", ", keys: Object.keys(value) });
    return;
  }
  const [name] = entries.length > 1 ? entries.filter(([key, member]) => isName(key, member)) : [];
  const label = name === undefined || plain(name[1]) === group.label ? undefined : `${name[0]} ${plain(name[1])}`;
  const under: Group = label === undefined ? group : { label, parent: group };
  if (label !== undefined) units.push({ text: "", group: under, joint: ", " });
  for (const [key, member] of entries) {
    if (label === undefined || key !== name?.[0]) visit({ value: member, key, group: under }, units);
  }
}

/** Returns a short object as one row, because its members say little alone. */
function rowOf(entries: readonly (readonly [string, JsonValue])[]): string | undefined {
  if (entries.length < 2 || entries.some(([, member]) => !isScalar(member))) return undefined;
  const isNamed = entries.some(([key, member]) => isName(key, member));
  const told = entries.filter(([, member]) => member !== "");
  const text = told.map(([key, member]) => `${key} ${plain(member)}`).join(", ");
  return text !== "" && text.length <= (isNamed ? LONGEST_NAMED_ROW : LONGEST_ROW) ? text : undefined;
}

const LONGEST_ROW = 160;
/** A longer named object is split, because its name is needed more often than the rest. */
const LONGEST_NAMED_ROW = 48;

function isName(key: string, value: JsonValue): boolean {
  return (
    /(?:^|[_-])(?:id|name|number|key|code|title)$|[a-z](?:Id|Name|Number|Key|Code|Title)$/u.test(key) &&
    isScalar(value) &&
    value !== null &&
    plain(value).length <= 60
  );
}

/** True for a text that is useful in parts, such as a file or command output. */
function isLongText(value: JsonValue): value is string {
  return typeof value === "string" && value.length > LONG_TEXT;
}

const LONG_TEXT = 240;

function isScalar(value: JsonValue): boolean {
  return typeof value !== "object" || value === null;
}

function plain(value: JsonValue): string {
  return typeof value === "string" ? value.replaceAll(/\s+/gu, " ").trim() : JSON.stringify(value);
}

/** Limit of saved values. JSON in a text that is nested deeper stays a text. */
const MOST_DEPTH = 128;

/** Returns the nesting depth of brackets, including brackets in strings. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < text.length && deepest <= MOST_DEPTH; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x7b || code === 0x5b) deepest = Math.max(deepest, ++depth);
    else if (code === 0x7d || code === 0x5d) depth -= 1;
  }
  return deepest;
}

/** Parses a text that is a JSON object or array; `undefined` for other texts. */
export function parseData(text: string): JsonValue | undefined {
  if (!/^\s*[{[]/u.test(text) || depthOf(text) > MOST_DEPTH) return undefined;
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
