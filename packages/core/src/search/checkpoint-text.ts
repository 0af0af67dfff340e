import { searchableAttributes } from "../model/git-state.ts";
import type { CheckpointRecord } from "../model/checkpoint.ts";
import { isJsonObject, type Context, type JsonValue } from "../model/context.ts";

/** A longer line is taken apart into its sentences, so that a change of one does not count as a change of all. */
const LONG_LINE = 300;

/** What a checkpoint can be found by. */
export type Labels = Pick<CheckpointRecord, "name" | "tags" | "attributes">;

/**
 * The text of a checkpoint, line by line: its name, tags and attributes; the texts of its context, in their order, and each
 * key once. Without what stands around a line, and without empty lines.
 */
export function linesOf({ name, tags, attributes }: Labels, context: Context): string[] {
  const lines: string[] = [];
  if (name !== undefined) addText(name, lines);
  for (const tag of tags) addText(tag, lines);
  const keys = new Set<string>();
  addTexts(searchableAttributes(attributes), lines, undefined);
  addTexts(context, lines, keys);
  for (const key of keys) lines.push(key);
  return lines;
}

/** Without recursion: a context may be deep. */
function addTexts(root: JsonValue, lines: string[], keys: Set<string> | undefined): void {
  const waiting: JsonValue[] = [root];
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (typeof value === "string") addText(value, lines);
    else if (Array.isArray(value)) for (let at = value.length - 1; at >= 0; at--) waiting.push(value[at] as JsonValue);
    else if (isJsonObject(value)) addMembers(value, waiting, keys);
  }
}

function addMembers(value: Readonly<Record<string, JsonValue>>, waiting: JsonValue[], keys: Set<string> | undefined): void {
  const members = Object.entries(value);
  for (const [key] of members) keys?.add(key);
  for (const [, member] of members.toReversed()) waiting.push(member);
}

function addText(text: string, lines: string[]): void {
  for (const line of text.split(/[\r\n]+/)) {
    if (line.length > LONG_LINE) for (const sentence of line.split(/(?<=[.!?。！？])(?:\s+|(?<=[。！？]))/u)) addLine(sentence, lines);
    else addLine(line, lines);
  }
}

function addLine(line: string, lines: string[]): void {
  const trimmed = line.trim();
  if (trimmed !== "") lines.push(trimmed);
}
