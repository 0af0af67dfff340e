import { isJsonObject, type JsonObject, type JsonValue } from "../model/context.ts";
import type { CountTokens } from "../ports/environment.ts";
import { isWithin, part, type Room, shrink } from "../view/room.ts";
import { outlineData } from "./outline-data.ts";
import { isMessages, outlineMessages } from "./outline-messages.ts";
import { outlineParagraphs } from "./outline-text.ts";
import type { Group, Part } from "./outline.ts";
import { reduceLines, reduceValue } from "./reduce-value.ts";
import { renderParts } from "./render-parts.ts";
import { selectUnits, takeUnits } from "./select-units.ts";
import type { StrategyName } from "./strategies.ts";
import { weighUnits } from "./weigh-units.ts";

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
  const isReduced = how.strategies.includes("reduce");
  const reduced = isReduced ? reduceValue(value) : value;
  const size = sizeOf(reduced, how.count);
  if (isWithin(size, room)) return { value: reduced, tokens: size.tokens, outcome: "reduced", strategies: ["reduce"] };
  const condensed = condense(isReduced ? reduceLines(value) : value, room, how);
  if (condensed === undefined) return undefined;
  return { value: condensed, tokens: sizeOf(condensed, how.count).tokens, outcome: "condensed", strategies: how.strategies };
}

function condense(value: JsonValue, room: Room, how: CondenseHow): JsonValue | undefined {
  if (room.tokens <= 0 || room.characters <= 0) return undefined;
  if (typeof value === "string") return condenseText(value, room, how);
  if (Array.isArray(value)) return condenseArray(value, room, how);
  return isJsonObject(value) ? condenseObject(value, room, how) : undefined;
}

function sizeOf(value: JsonValue, count: CountTokens): Room {
  const text = JSON.stringify(value);
  return { tokens: count(text), characters: text.length };
}

function condenseText(text: string, room: Room, how: CondenseHow): JsonValue | undefined {
  const root: Group = { label: "", parent: undefined };
  const pieces = outlineParagraphs(text, root, { headings: how.strategies.includes("hierarchy"), voice: "data" });
  return fill([{ root, pieces }], false, room, how, ([only]) => only);
}

function condenseArray(value: readonly JsonValue[], room: Room, how: CondenseHow): JsonValue | undefined {
  const isHistory = isMessages(value);
  const parts = isHistory ? outlineMessages(value) : value.map((item) => outlineItem(item));
  return fill(parts, isHistory, room, how, (texts) => {
    const kept = texts.filter((text) => text !== undefined);
    if (kept.length === 0) return undefined;
    const left = texts.length - kept.length;
    return left === 0 ? kept : [`[${left} left out]`, ...kept];
  });
}

function outlineItem(item: JsonValue): Part {
  const root: Group = { label: "", parent: undefined };
  if (typeof item === "string") return { root, pieces: outlineParagraphs(item, root, { headings: false, voice: "data" }) };
  return { root, pieces: [{ units: outlineData(item, root), voice: "data" }] };
}

interface Entry {
  readonly key: string;
  readonly member: JsonValue;
  readonly place: number;
  readonly size: Room;
}

/** Small members stay whole; those that do not fit share what is left. */
function condenseObject(value: JsonObject, room: Room, how: CondenseHow): JsonValue | undefined {
  const entries = Object.entries(value).map(([key, member], place) => ({ key, member, place, size: sizeOf({ [key]: member }, how.count) }));
  let inside = room;
  for (let tries = 0; tries < TRIES && inside.tokens > 0 && inside.characters > 0; tries += 1) {
    const joined = joinEntries(shareOut(entries, inside, how), value);
    if (joined === undefined) return undefined;
    const size = sizeOf(joined, how.count);
    if (isWithin(size, room)) return joined;
    // The note of what is left out, and what a tokenizer makes of the seams.
    const over = { tokens: Math.max(1, size.tokens - room.tokens), characters: Math.max(1, size.characters - room.characters) };
    inside = shrink(inside, over);
  }
  return undefined;
}

/** From the smallest on, so that what the small ones do not need goes to the large. */
function shareOut(entries: readonly Entry[], room: Room, how: CondenseHow): Entry[] {
  const kept: Entry[] = [];
  let left = room;
  const fromSmallest = [...entries].sort((a, b) => a.size.tokens - b.size.tokens || a.place - b.place);
  fromSmallest.forEach((entry, index) => {
    const fitted = fitEntry(entry, part(left, 1 / (entries.length - index)), how);
    if (fitted === undefined) return;
    kept.push(fitted);
    left = shrink(left, { tokens: fitted.size.tokens - BRACES, characters: fitted.size.characters - BRACES });
  });
  return kept.sort((a, b) => a.place - b.place);
}

/** Counted with each entry, and there once. One of them is the comma. */
const BRACES = 1;

function fitEntry(entry: Entry, room: Room, how: CondenseHow): Entry | undefined {
  if (isWithin(entry.size, room)) return entry;
  const frame = sizeOf({ [entry.key]: 0 }, how.count);
  const member = condense(
    entry.member,
    { tokens: room.tokens - frame.tokens + 1, characters: room.characters - frame.characters + 1 },
    how,
  );
  if (member === undefined) return undefined;
  const size = sizeOf({ [entry.key]: member }, how.count);
  return isWithin(size, room) ? { ...entry, member, size } : undefined;
}

function joinEntries(kept: readonly Entry[], value: JsonObject): JsonValue | undefined {
  if (kept.length === 0) return undefined;
  const members: [string, JsonValue][] = kept.map(({ key, member }) => [key, member]);
  const all = Object.keys(value).length;
  if (kept.length < all) members.push([noteKey(value), `${all - kept.length} left out`]);
  return Object.fromEntries(members);
}

function noteKey(value: JsonObject): string {
  let key = "…";
  while (Object.hasOwn(value, key)) key += "…";
  return key;
}

/** Tries that bring what is selected by the cost of its parts close to the room as a whole. */
const TRIES = 8;

/** Selects as much of the parts as fits once it is put together. */
function fill(
  parts: readonly Part[],
  isHistory: boolean,
  room: Room,
  how: CondenseHow,
  put: (texts: readonly (string | undefined)[]) => JsonValue | undefined,
): JsonValue | undefined {
  const candidates = weighUnits(parts, room.tokens, { ...how, isHistory });
  let best: JsonValue | undefined;
  let budget = room.tokens;
  for (let tries = 0; tries < TRIES && budget > 0; tries += 1) {
    const chosen = how.strategies.includes("select")
      ? selectUnits(candidates, budget, how.count)
      : takeUnits(candidates, budget, { count: how.count, isHistory });
    const value = put(renderParts(parts, candidates, chosen));
    if (value === undefined) return best;
    const size = sizeOf(value, how.count);
    if (isWithin(size, room)) {
      best = value;
      const slack = room.tokens - size.tokens;
      if (slack * 50 < room.tokens || chosen.size === candidates.length) break;
      budget += Math.ceil(slack * 0.7);
    } else {
      const over = Math.max(size.tokens / room.tokens, size.characters / room.characters);
      budget = Math.min(budget - 1, Math.floor(budget / over));
    }
  }
  return best;
}
