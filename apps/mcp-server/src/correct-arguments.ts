import { parseJson } from "@workrail/core";
import { isJsonObject } from "./json-rpc.ts";
import { toObjectSchema } from "./tool-listing.ts";
import type { Tool } from "./tool.ts";

/** The part of a field's JSON Schema that is used here. */
interface FieldSchema {
  readonly type?: string;
  readonly items?: { readonly type?: string };
}

type Fields = Readonly<Record<string, unknown>>;

export interface CorrectedArguments {
  readonly given: unknown;
  /** Corrections that were made, in sentences. */
  readonly corrected: readonly string[];
}

/** Parses texts sent in place of a list or an object, when only one reading makes sense. */
export function correctArguments(tool: Tool, given: unknown): CorrectedArguments {
  if (!isJsonObject(given)) return { given, corrected: [] };
  const corrected: string[] = [];
  let fields: Fields = given;
  for (const [name, schema] of Object.entries(schemasOf(tool))) {
    if (!Object.hasOwn(given, name)) continue;
    const { value, read } = correctValue(given[name], schema);
    if (read === undefined) continue;
    corrected.push(`${name} was a text and was read as ${read}.`);
    fields = { ...fields, [name]: value };
  }
  return { given: fields, corrected };
}

interface CorrectedValue {
  readonly value: unknown;
  /** Description of a text's reading; `undefined` for a value that stays. */
  readonly read?: string;
}

function correctValue(value: unknown, { type, items }: FieldSchema): CorrectedValue {
  if (typeof value !== "string" || (type !== "array" && type !== "object")) return { value };
  const parsed = jsonOf(value);
  if (type === "array" ? Array.isArray(parsed) : isJsonObject(parsed)) {
    return { value: parsed, read: `JSON: send ${type === "array" ? "a list" : "an object"}` };
  }
  if (type === "object" || value.trim() === "") return { value };
  const list = items?.type === "string" ? partsOf(value) : [value];
  return { value: list, read: `the list ${inBrief(JSON.stringify(list))}` };
}

/** Splits a text at commas. */
function partsOf(text: string): string[] {
  return text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

function inBrief(text: string): string {
  return text.length <= 120 ? text : `${text.slice(0, 119).toWellFormed()}…`;
}

/** Returns `undefined` for a text that is not JSON. */
function jsonOf(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const cache = new WeakMap<Tool, Readonly<Record<string, FieldSchema>>>();

function schemasOf(tool: Tool): Readonly<Record<string, FieldSchema>> {
  let known = cache.get(tool);
  if (known === undefined) {
    const fields: Readonly<Record<string, FieldSchema>> = toObjectSchema(tool.input, "input").properties ?? {};
    // Such a tool parses the text of an object itself, and reports that.
    known = Object.fromEntries(Object.entries(fields).filter(([name]) => tool.input.shape[name]?.safeParse("{}").success !== true));
    cache.set(tool, known);
  }
  return known;
}
