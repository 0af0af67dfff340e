import { isJsonObject, type JsonObject, type JsonValue } from "@workrail/core";
import { outlineMember } from "./outline-data.ts";
import { outlineLines } from "./outline-lines.ts";
import { isNote } from "./reduce-text.ts";
import type { Group, Part, Piece, Unit, Voice } from "./outline.ts";

/** True when an array is a history of steps: each member has an action, and a thought or a result. */
export function isSteps(value: readonly JsonValue[]): value is readonly JsonObject[] {
  return value.length > 1 && value.every((item) => isJsonObject(item) && has(item, "acts") && (has(item, "says") || has(item, "reports")));
}

/** Yields one part per step, on demand. The keys determine the voices. */
export function* outlineSteps(steps: readonly JsonObject[]): Generator<Part> {
  for (const step of steps) yield outlineStep(step);
}

const VOICES: ReadonlyMap<string, Voice> = new Map<string, Voice>([
  ...["action", "command", "cmd", "tool", "tool_call", "call"].map((key) => [key, "acts"] as const),
  ...["thought", "reasoning", "reason", "why", "plan"].map((key) => [key, "says"] as const),
  ...["observation", "result", "output", "stdout", "stderr", "response", "error", "outcome"].map((key) => [key, "reports"] as const),
]);

/** Puts the action above thoughts and results, which say little without it. */
function outlineStep(step: JsonObject): Part {
  const root: Group = { label: "", parent: undefined };
  const act = Object.entries(step).find(([key, member]) => voiceOf(key) === "acts" && firstLineOf(member) !== undefined);
  const under: Group = act === undefined ? root : { label: `${act[0]} ${firstLineOf(act[1])}`, parent: root };
  const pieces = Object.entries(step).map(([key, member]): Piece => {
    const units = key === act?.[0] ? outlineAct(member, under) : outlineMember(key, member, under);
    return { units, voice: voiceOf(key) };
  });
  return { root, pieces: pieces.filter(({ units }) => units.length > 0) };
}

/** Outlines an action without its first line, which is the label of the group. */
function outlineAct(act: JsonValue, group: Group): Unit[] {
  const text = (act as string).trim();
  return [{ text: "", group, joint: ", " }, ...outlineLines(text.slice(firstLineOf(act)?.length), group)];
}

const LONGEST_ACT = 80;

/** Returns the first line of an action; `undefined` when it is not a text, too long for a label, or a note. */
function firstLineOf(act: JsonValue): string | undefined {
  const [line = ""] = typeof act === "string" ? act.trim().split("\n", 1) : [];
  return line === "" || line.length > LONGEST_ACT || isNote(line) ? undefined : line;
}

function voiceOf(key: string): Voice {
  return VOICES.get(key.toLowerCase()) ?? "data";
}

function has(step: JsonObject, voice: Voice): boolean {
  return Object.keys(step).some((key) => VOICES.get(key.toLowerCase()) === voice);
}
