import { isJsonObject, type JsonValue } from "../model/context.ts";
import { parseJson } from "../json/parse-json.ts";
import type { Group, Unit } from "./outline.ts";

/** A unit for each member that holds no others, under the keys of those that do. */
export function outlineData(value: JsonValue, group: Group): Unit[] {
  const units: Unit[] = [];
  visit({ value, key: "", group }, units);
  return units;
}

interface Member {
  readonly value: JsonValue;
  readonly key: string;
  readonly group: Group;
}

function visit({ value, key, group }: Member, units: Unit[]): void {
  if (Array.isArray(value) && !value.every(isScalar)) {
    for (const item of value as readonly JsonValue[]) visit({ value: item, key: "", group: { label: key, parent: group } }, units);
  } else if (isJsonObject(value)) {
    const under: Group = { label: key, parent: group };
    for (const [name, member] of Object.entries(value)) visit({ value: member, key: name, group: under }, units);
  } else {
    const said = Array.isArray(value) ? value.map((item: JsonValue) => plain(item)).join(", ") : plain(value);
    // What a member is called is often said by its value: `id: credit_card_4421486` below `credit_card_4421486`.
    const text = said === group.label ? "" : `${key} ${said}`.trim();
    if (text !== "") units.push({ text, group, joint: ", " });
  }
}

function isScalar(value: JsonValue): boolean {
  return typeof value !== "object" || value === null;
}

function plain(value: JsonValue): string {
  return typeof value === "string" ? value.replaceAll(/\s+/gu, " ").trim() : JSON.stringify(value);
}

/** The value that a text is JSON of, when it is an object or an array. */
export function parseData(text: string): JsonValue | undefined {
  if (!/^\s*[{[]/u.test(text)) return undefined;
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
