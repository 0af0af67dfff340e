import { isJsonObject, type JsonValue } from "../model/context.ts";
import type { CountTokens } from "../ports/environment.ts";
import type { Room } from "../view/room.ts";
import { surelyMore } from "../view/surely-more.ts";
import { atOnce, type Steps } from "../turns.ts";
import { condenseObject, LEAST_OF_MEMBER } from "./condense-object.ts";
import { fillRoom, sizeOf } from "./fill-room.ts";
import { outlineData } from "./outline-data.ts";
import { isMessages, outlineMessages } from "./outline-messages.ts";
import { isSteps, outlineSteps } from "./outline-steps.ts";
import { outlineParagraphs } from "./outline-text.ts";
import type { Group, Part } from "./outline.ts";
import { reduceLinesSteps, reduceSteps } from "./reduce-value.ts";
import type { StrategyName } from "./strategies.ts";

export interface CondenseHow {
  readonly count: CountTokens;
  /** What one is about to do, or wants to know: what has to do with it is kept first. */
  readonly focus?: string | undefined;
  readonly strategies: readonly StrategyName[];
}

export interface Condensed {
  readonly value: JsonValue;
  /** Of the value as JSON text. */
  readonly tokens: number;
  /** `reduced`: it says nearly all. `condensed`: parts are left out, and it says where. */
  readonly outcome: "reduced" | "condensed";
  /** Those that had a part in it. */
  readonly strategies: readonly StrategyName[];
}

/**
 * A value in less room: as much of it as fits, in its order, for reading. Texts stay texts, lists lists, objects
 * objects; what stood deeper may come as text. Never takes more than the room, and is the same for the same input.
 *
 * @returns `undefined` when nothing fits that would be of use.
 */
export function condenseValue(value: JsonValue, room: Room, how: CondenseHow): Condensed | undefined {
  return atOnce(condenseSteps(value, room, how));
}

/** The same, with room for other work in between. */
export function* condenseSteps(value: JsonValue, room: Room, how: CondenseHow): Steps<Condensed | undefined> {
  const isReduced = how.strategies.includes("reduce");
  const reduced = isReduced ? yield* reduceSteps(value) : value;
  const tokens = tokensWithin(JSON.stringify(reduced), room, how.count);
  if (tokens !== undefined) return { value: reduced, tokens, outcome: "reduced", strategies: isReduced ? ["reduce"] : [] };
  const condensed = yield* condense(isReduced ? yield* reduceLinesSteps(value) : value, room, how);
  if (condensed === undefined) return undefined;
  return { value: condensed, tokens: sizeOf(condensed, how.count).tokens, outcome: "condensed", strategies: how.strategies };
}

/** `undefined` when it takes more. */
function tokensWithin(text: string, room: Room, count: CountTokens): number | undefined {
  if (text.length > room.characters || surelyMore(text, room.tokens, count)) return undefined;
  const tokens = count(text);
  return tokens <= room.tokens ? tokens : undefined;
}

function* condense(value: JsonValue, room: Room, how: CondenseHow): Steps<JsonValue | undefined> {
  if (room.tokens <= 0 || room.characters <= 0) return undefined;
  if (typeof value === "string")
    return yield* fillRoom([outlineItem(value, how)], room, { ...how, isHistory: false, put: ([only]) => only });
  if (Array.isArray(value)) return yield* condenseArray(value, room, how);
  if (!isJsonObject(value)) return undefined;
  const { count, focus } = how;
  return yield* condenseObject(value, room, { count, focus, condense: (member, share) => condenseMember(member, share, how) });
}

/** An object whose members would get next to nothing each says more in one text, which picks out what matters. */
function condenseMember(member: JsonValue, room: Room, how: CondenseHow): Steps<JsonValue | undefined> {
  const isTight = isJsonObject(member) && room.tokens < Object.keys(member).length * LEAST_OF_MEMBER.tokens;
  return isTight
    ? fillRoom([outlineItem(member, how)], room, { ...how, isHistory: false, put: ([only]) => only })
    : condense(member, room, how);
}

function* condenseArray(value: readonly JsonValue[], room: Room, how: CondenseHow): Steps<JsonValue | undefined> {
  const history = outlineHistory(value);
  const parts: Part[] = [];
  for (const part of history ?? outlineItems(value, how)) {
    parts.push(part);
    yield;
  }
  return yield* fillRoom(parts, room, { ...how, isHistory: history !== undefined, put: listKept });
}

/** Of what was said or done, in the order of time; `undefined` for any other list. */
function outlineHistory(value: readonly JsonValue[]): Generator<Part> | undefined {
  if (isMessages(value)) return outlineMessages(value);
  return isSteps(value) ? outlineSteps(value) : undefined;
}

/** The members that something is kept of, behind a note of how many are gone. */
function listKept(texts: readonly (string | undefined)[]): JsonValue | undefined {
  const kept = texts.filter((text) => text !== undefined);
  if (kept.length === 0) return undefined;
  return kept.length === texts.length ? kept : [`[${texts.length - kept.length} left out]`, ...kept];
}

function* outlineItems(items: readonly JsonValue[], how: CondenseHow): Generator<Part> {
  for (const item of items) yield outlineItem(item, how);
}

function outlineItem(item: JsonValue, how: CondenseHow): Part {
  const root: Group = { label: "", parent: undefined };
  if (typeof item !== "string") return { root, pieces: [{ units: outlineData(item, root), voice: "data" }] };
  return { root, pieces: outlineParagraphs(item, root, { headings: how.strategies.includes("hierarchy"), voice: "data" }) };
}
