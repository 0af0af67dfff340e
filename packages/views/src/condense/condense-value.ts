import { atOnce, type CountTokens, isJsonObject, type JsonValue, type Steps } from "@workrail/core";
import type { Room } from "../view/room.ts";
import { surelyExceeds } from "../view/surely-exceeds.ts";
import { condenseObject, LEAST_OF_MEMBER } from "./condense-object.ts";
import { fillRoom, sizeOf } from "./fill-room.ts";
import { outlineData } from "./outline-data.ts";
import { isMessages, outlineMessages } from "./outline-messages.ts";
import { isSteps, outlineSteps } from "./outline-steps.ts";
import { outlineParagraphs } from "./outline-text.ts";
import type { Group, Part } from "./outline.ts";
import { reduceLinesSteps, reduceSteps } from "./reduce-value.ts";
import type { StrategyName } from "./strategies.ts";

export interface CondenseOptions {
  readonly count: CountTokens;
  /** Next task or question: related parts are kept first. */
  readonly focus?: string | undefined;
  readonly strategies: readonly StrategyName[];
}

export interface Condensed {
  readonly value: JsonValue;
  /** Tokens of the value as JSON text. */
  readonly tokens: number;
  /** `reduced`: nearly all content is left. `condensed`: parts are left out, with marks where. */
  readonly outcome: "reduced" | "condensed";
  /** Strategies that were applied. */
  readonly strategies: readonly StrategyName[];
}

/**
 * Condenses a value for reading: as much as fits, in order. Texts stay texts, lists lists, objects objects; deeper values may
 * become text. Never exceeds the room. Deterministic.
 *
 * @returns `undefined` when nothing useful fits.
 */
export function condenseValue(value: JsonValue, room: Room, options: CondenseOptions): Condensed | undefined {
  return atOnce(condenseSteps(value, room, options));
}

/** Works like `condenseValue`, and yields to other work. */
export function* condenseSteps(value: JsonValue, room: Room, options: CondenseOptions): Steps<Condensed | undefined> {
  const isReduced = options.strategies.includes("reduce");
  const reduced = isReduced ? yield* reduceSteps(value) : value;
  const tokens = tokensWithin(JSON.stringify(reduced), room, options.count);
  if (tokens !== undefined) return { value: reduced, tokens, outcome: "reduced", strategies: isReduced ? ["reduce"] : [] };
  const condensed = yield* condense(isReduced ? yield* reduceLinesSteps(value) : value, room, options);
  if (condensed === undefined) return undefined;
  return { value: condensed, tokens: sizeOf(condensed, options.count).tokens, outcome: "condensed", strategies: options.strategies };
}

/** Counts the tokens of a text; `undefined` when it exceeds the room. */
function tokensWithin(text: string, room: Room, count: CountTokens): number | undefined {
  if (text.length > room.characters || surelyExceeds(text, room.tokens, count)) return undefined;
  const tokens = count(text);
  return tokens <= room.tokens ? tokens : undefined;
}

function* condense(value: JsonValue, room: Room, options: CondenseOptions): Steps<JsonValue | undefined> {
  if (room.tokens <= 0 || room.characters <= 0) return undefined;
  if (typeof value === "string")
    return yield* fillRoom([outlineItem(value, options)], room, { ...options, isHistory: false, put: ([only]) => only });
  if (Array.isArray(value)) return yield* condenseArray(value, room, options);
  if (!isJsonObject(value)) return undefined;
  const { count, focus } = options;
  return yield* condenseObject(value, room, { count, focus, condense: (member, share) => condenseMember(member, share, options) });
}

/** Turns an object into one text when its members would each get too little room: the text can pick the important parts. */
function condenseMember(member: JsonValue, room: Room, options: CondenseOptions): Steps<JsonValue | undefined> {
  const isTight = isJsonObject(member) && room.tokens < Object.keys(member).length * LEAST_OF_MEMBER.tokens;
  return isTight
    ? fillRoom([outlineItem(member, options)], room, { ...options, isHistory: false, put: ([only]) => only })
    : condense(member, room, options);
}

function* condenseArray(value: readonly JsonValue[], room: Room, options: CondenseOptions): Steps<JsonValue | undefined> {
  const history = outlineHistory(value);
  const parts: Part[] = [];
  for (const part of history ?? outlineItems(value, options)) {
    parts.push(part);
    yield;
  }
  return yield* fillRoom(parts, room, { ...options, isHistory: history !== undefined, put: listKept });
}

/** Outlines a list in order of time, such as messages or steps; `undefined` for other lists. */
function outlineHistory(value: readonly JsonValue[]): Generator<Part> | undefined {
  if (isMessages(value)) return outlineMessages(value);
  return isSteps(value) ? outlineSteps(value) : undefined;
}

/** Returns the kept items, preceded by the number of omitted ones. */
function listKept(texts: readonly (string | undefined)[]): JsonValue | undefined {
  const kept = texts.filter((text) => text !== undefined);
  if (kept.length === 0) return undefined;
  return kept.length === texts.length ? kept : [`[${texts.length - kept.length} left out]`, ...kept];
}

function* outlineItems(items: readonly JsonValue[], options: CondenseOptions): Generator<Part> {
  for (const item of items) yield outlineItem(item, options);
}

function outlineItem(item: JsonValue, options: CondenseOptions): Part {
  const root: Group = { label: "", parent: undefined };
  if (typeof item !== "string") return { root, pieces: [{ units: outlineData(item, root), voice: "data" }] };
  return { root, pieces: outlineParagraphs(item, root, { headings: options.strategies.includes("hierarchy"), voice: "data" }) };
}
