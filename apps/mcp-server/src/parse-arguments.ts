import { WorkrailError } from "@workrail/core";
import type * as z from "zod";
import { correctArguments } from "./correct-arguments.ts";
import { type DescribedIssues, describeIssues } from "./describe-issues.ts";
import { isJsonObject } from "./json-rpc.ts";
import { rightCall } from "./right-call.ts";
import type { Tool } from "./tool.ts";

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
  const renamed = renameAliases(tool, given ?? {});
  const { given: read, corrected } = correctArguments(tool, renamed);
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
function renameAliases(tool: Tool, given: unknown): unknown {
  if (!isJsonObject(given)) {
    return given;
  }
  const aliases = aliasesOf(tool);
  const names = Object.keys(given);
  if (!names.some((name) => aliases.has(name))) {
    return given;
  }
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

const aliasCache = new WeakMap<Tool, ReadonlyMap<string, string>>();

function aliasesOf(tool: Tool): ReadonlyMap<string, string> {
  const cached = aliasCache.get(tool);
  if (cached !== undefined) {
    return cached;
  }
  const aliases = new Map<string, string>();
  const fields = Object.keys(tool.input.shape);
  for (const field of fields) {
    aliases.set(toSnakeCase(field), field);
    aliases.set(toCamelCase(field), field);
  }
  for (const [alias, field] of Object.entries(tool.aliases ?? {})) {
    aliases.set(alias, field);
  }
  for (const field of fields) {
    aliases.delete(field);
  }
  aliasCache.set(tool, aliases);
  return aliases;
}

function toSnakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`);
}

function toCamelCase(name: string): string {
  return name.replaceAll(/_([a-z0-9])/gu, (_match, letter: string) => letter.toUpperCase());
}
