import { isJsonObject, parseJson, WorkrailError } from "@workrail/core";
import type * as z from "zod";
import { type DescribedIssues, describeIssues } from "./describe-issues.ts";
import { rightCall } from "./right-call.ts";
import type { Tool } from "./tool.ts";
import { toObjectSchema } from "./tool-listing.ts";

/** The part of a field's JSON Schema that is used here. */
interface FieldSchema {
  readonly type?: string;
  readonly items?: { readonly type?: string };
}

type Fields = Readonly<Record<string, unknown>>;

export interface ParsedArguments {
  readonly input: z.output<Tool["input"]>;
  /** Corrections that were made, in sentences. */
  readonly corrected: readonly string[];
}

/**
 * Parses the arguments of a call: resolves aliases, then texts that stand for lists, then applies the tool's schema.
 *
 * @param tools all tools; the error names another tool that accepts the call. Default: none.
 */
export function parseArguments(tool: Tool, given: unknown, tools: readonly Tool[] = []): ParsedArguments {
  const known = knownOf(tool);
  const corrected: string[] = [];
  let read = given ?? {};
  if (isJsonObject(read)) read = correctTexts(renameAliases(tool, read, known), known, corrected);
  const parsed = tool.input.safeParse(read);
  if (parsed.success) {
    return { input: parsed.data, corrected };
  }
  const { sentences, issues } = describeIssues(parsed.error.issues, read);
  throw invalid(tool, { sentences, issues }, rightCall(tool, read, tools));
}

function invalid(tool: Tool, { sentences, issues }: DescribedIssues, meant?: string): WorkrailError {
  const fields = Object.keys(tool.input.shape).join(", ");
  return new WorkrailError("INVALID_INPUT", sentences, {
    hint: meant ?? `Correct this and call ${tool.name} again; it takes: ${fields}`,
    details: { issues, ...(meant === undefined ? {} : { meant }) },
  });
}

/** Renames aliases to field names. @throws INVALID_INPUT for a field given under two names, which is ambiguous. */
function renameAliases(tool: Tool, given: Fields, { aliases }: KnownFields): Fields {
  const names = Object.keys(given);
  if (!names.some((name) => aliases.has(name))) return given;
  const renamed = new Map<string, unknown>();
  for (const name of names) {
    const field = aliases.get(name);
    const isTaken = field === undefined || Object.hasOwn(given, field) || renamed.has(field);
    if (isTaken && field !== undefined) throw givenTwice(tool, name, field);
    renamed.set(field ?? name, given[name]);
  }
  return Object.fromEntries(renamed);
}

function givenTwice(tool: Tool, alias: string, field: string): WorkrailError {
  const message = `${alias} is another name of ${field}, which is given already`;
  return invalid(tool, { sentences: `${message}.`, issues: [{ path: field, message }] });
}

/** Parses texts sent in place of a list or an object, when only one reading makes sense. @param corrected gets a sentence for each. */
function correctTexts(given: Fields, { schemas }: KnownFields, corrected: string[]): Fields {
  let fields = given;
  for (const [name, schema] of schemas) {
    const value = given[name];
    if (typeof value !== "string") continue;
    const { value: meant, read } = correctText(value, schema);
    if (read === undefined) continue;
    corrected.push(`${name} was a text and was read as ${read}.`);
    fields = { ...fields, [name]: meant };
  }
  return fields;
}

interface CorrectedValue {
  readonly value: unknown;
  /** Description of a text's reading; `undefined` for a value that stays. */
  readonly read?: string;
}

function correctText(value: string, { type, items }: FieldSchema): CorrectedValue {
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

/** Names and schemas of a tool's fields, as far as they are used here. */
interface KnownFields {
  /** Alias to field. */
  readonly aliases: ReadonlyMap<string, string>;
  /** Lists and objects that may come as texts. */
  readonly schemas: ReadonlyMap<string, FieldSchema>;
}

const cache = new WeakMap<Tool, KnownFields>();

function knownOf(tool: Tool): KnownFields {
  let known = cache.get(tool);
  if (known === undefined) {
    known = { aliases: aliasesOf(tool), schemas: schemasOf(tool) };
    cache.set(tool, known);
  }
  return known;
}

function aliasesOf(tool: Tool): ReadonlyMap<string, string> {
  const fields = Object.keys(tool.input.shape);
  const aliases = new Map(fields.flatMap((field) => [toSnakeCase(field), toCamelCase(field)].map((alias) => [alias, field] as const)));
  for (const [alias, field] of Object.entries(tool.aliases ?? {})) aliases.set(alias, field);
  for (const field of fields) aliases.delete(field);
  return aliases;
}

function schemasOf({ input }: Tool): ReadonlyMap<string, FieldSchema> {
  const fields: Readonly<Record<string, FieldSchema>> = toObjectSchema(input, "input").properties ?? {};
  const texts = Object.entries(fields).filter(([, { type }]) => type === "array" || type === "object");
  // A tool that accepts the text of an object parses it itself, and reports that.
  return new Map(texts.filter(([name]) => input.shape[name]?.safeParse("{}").success !== true));
}

function toSnakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`);
}

function toCamelCase(name: string): string {
  return name.replaceAll(/_([a-z0-9])/gu, (_match, letter: string) => letter.toUpperCase());
}
