import { isJsonObject, isAlike } from "@workrail/core";
import type { Tool } from "./tool.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Longer values are not repeated. */
const LONGEST_VALUE = 80;

/**
 * Suggests the intended call when the arguments do not fit the tool: this tool with corrected names, else another tool that
 * accepts these fields, else this tool without its unknown fields.
 *
 * @param given arguments with resolved aliases.
 */
export function rightCall(tool: Tool, given: unknown, tools: readonly Tool[]): string | undefined {
  if (!isJsonObject(given)) return undefined;
  const unknown = Object.keys(given).filter((name) => !takes(tool, name));
  if (unknown.length === 0) return undefined;
  const renamed = withNearestNames(tool, given, unknown);
  if (renamed !== undefined && isCallOf(tool, renamed)) return `Call ${written(tool, renamed)}`;
  for (const other of tools) {
    const fields = other === tool ? undefined : fieldsFor(other, given);
    if (fields !== undefined && isCallOf(other, fields)) return `${other.name} takes these: call ${written(other, fields)}`;
  }
  const moved = fieldsFor(tool, given);
  if (moved !== undefined && isCallOf(tool, moved)) return `Call ${written(tool, moved)}`;
  const known = Object.fromEntries(Object.entries(given).filter(([name]) => takes(tool, name)));
  return Object.keys(known).length > 0 && isCallOf(tool, known)
    ? `Without ${unknown.map(quoted).join(", ")}: call ${written(tool, known)}`
    : undefined;
}

/** Writes a call as a model would send it. Long values are abbreviated. */
export function written(tool: Pick<Tool, "name">, fields: Fields): string {
  const pairs = Object.entries(fields).map(([name, value]) => `${JSON.stringify(name)}: ${inBrief(value)}`);
  return `${tool.name} with {${pairs.join(", ")}}`;
}

function takes(tool: Tool, name: string): boolean {
  return Object.hasOwn(tool.input.shape, name);
}

function isCallOf(tool: Tool, fields: Fields): boolean {
  return tool.input.safeParse(fields).success;
}

/** Returns `undefined` when a name resembles no field, or one that is already given. */
function withNearestNames(tool: Tool, given: Fields, unknown: readonly string[]): Fields | undefined {
  const names = new Map<string, string>();
  for (const name of unknown) {
    const nearest = nearestName(tool, name);
    if (nearest === undefined || Object.hasOwn(given, nearest) || [...names.values()].includes(nearest)) return undefined;
    names.set(name, nearest);
  }
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [names.get(name) ?? name, value]));
}

/** Names that tools use for the same field. */
const SAME: readonly (readonly string[])[] = [
  ["limit", "top_k", "topK", "k", "count"],
  ["id", "checkpointId", "checkpoint_id"],
  ["query", "q", "text", "hint"],
  ["context", "state", "data", "content"],
  ["budgetTokens", "maxTokens", "max_tokens", "tokens"],
  ["keys", "key", "path", "paths"],
];

function nearestName(tool: Tool, name: string): string | undefined {
  const plain = (text: string): string => text.replaceAll(/[^A-Za-z0-9]/gu, "").toLowerCase();
  const all = Object.keys(tool.input.shape);
  const [asked, ...candidates] = [plain(name), ...all.map((each) => ({ each, text: plain(each) }))] as const;
  const found =
    candidates.find(({ text }) => text === asked) ??
    candidates.find(({ each }) => SAME.some((names) => names.includes(name) && names.includes(each))) ??
    candidates.find(({ text }) => isAlike(text, asked)) ??
    candidates.find(({ text }) => asked.length > 3 && (text.startsWith(asked) || asked.startsWith(text)));
  return found?.each;
}

/** Returns the arguments for another tool; `undefined` when some of them have no field there. */
function fieldsFor(other: Tool, given: Fields): Fields | undefined {
  const move = MOVES[other.name];
  const moved = move === undefined ? given : move(given);
  return moved !== undefined && Object.keys(moved).every((name) => takes(other, name)) ? moved : undefined;
}

/** Converts arguments between the two tools that save, which use different names. A note on a project has no field for a state. */
const MOVES: Readonly<Record<string, (given: Fields) => Fields | undefined>> = {
  checkpoint_save: (given) => (isJsonObject(given["context"]) && !isFlat(given["context"]) ? undefined : given),
  workflow_checkpoint_save: ({ summary, description: _said, project_path: _place, tags, metadata, ...rest }) => {
    const labels = {
      ...(isJsonObject(metadata) ? metadata : {}),
      ...(summary === undefined ? {} : { name: summary }),
      ...(tags === undefined ? {} : { tags }),
    };
    return Object.keys(labels).length === 0 ? rest : { ...rest, metadata: labels };
  },
};

/** True when an object contains no lists and no objects. */
export function isFlat(context: Fields): boolean {
  return Object.values(context).every((value) => typeof value !== "object" || value === null);
}

function quoted(name: string): string {
  return name.length <= 64 ? name : `${name.slice(0, 64).toWellFormed()}…`;
}

function inBrief(value: unknown): string {
  const text = JSON.stringify(value) ?? "null";
  if (text.length <= LONGEST_VALUE) return text;
  if (typeof value === "string") return `${JSON.stringify(value.slice(0, LONGEST_VALUE - 20).toWellFormed()).slice(0, -1)}…"`;
  return Array.isArray(value) ? "[as given]" : "{as given}";
}
