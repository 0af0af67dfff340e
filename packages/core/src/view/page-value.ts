import { isJsonObject, type JsonValue } from "../model/context.ts";
import type { TokenCounter } from "../ports/environment.ts";
import { splitsPair } from "./cut-text.ts";
import { fits, type Room } from "./room.ts";

/** A part of one long value: characters of a text, items of an array, or members of an object. */
export interface Range {
  /** From 0; a negative one counts from the end. Default 0. */
  readonly offset?: number | undefined;
  /** Instead of `offset`: so many from the end. Where they do not all fit, the latest of them. */
  readonly last?: number | undefined;
  /** Default: as many as fit. */
  readonly limit?: number | undefined;
}

export type PageUnit = "characters" | "items" | "members";

export interface ValuePage {
  /** What stands at the path, or the part of it that was asked for and fits. */
  readonly value: JsonValue;
  /** Where the part begins; absent when the value is whole. */
  readonly offset?: number;
  /** Characters, items or members of the whole value; absent when the value is whole. */
  readonly length?: number;
  /** What these count; absent when the value is whole. */
  readonly unit?: PageUnit;
  /** Ask for this offset to go on; absent at the end. */
  readonly nextOffset?: number;
  /** The item at `nextOffset` alone is larger than the room: ask for its own path. */
  readonly itemTooLarge?: true;
  /** The key of that item, when it is a member of an object and its key is not long itself. */
  readonly nextKey?: string;
}

const LONGEST_KEY_NAMED = 120;
/** Counting tokens is dear: a page that fills this much of its room is good enough. */
const WELL_FILLED = 0.97;
/** Guesses by proportion, before the search falls back to halves. */
const GUESSES = 4;

/**
 * Cuts nothing that fits; what does not is cut between characters, items or members, and says where to go on. A
 * surrogate pair is never torn apart: a range that begins or ends within one takes in the whole of it.
 */
export async function pageValue(value: JsonValue, range: Range | undefined, room: Room, counter: TokenCounter): Promise<ValuePage> {
  const length = lengthOf(value);
  if (length === undefined) return { value };
  if (range?.last !== undefined) return lastOf(value, { length, wanted: Math.min(range.last, length) }, room, counter);
  const asked = range?.offset ?? 0;
  const start = asked < 0 ? Math.max(0, length + asked) : Math.min(asked, length);
  const offset = typeof value === "string" && splitsPair(value, start) ? start - 1 : start;
  const limit = Math.min(range?.limit ?? length, length - offset);
  const wanted = typeof value === "string" ? wholeCharacters(value, offset, limit) : limit;
  const count = await largestFitting(value, offset, wanted, room, counter);
  if (offset === 0 && count === length) return { value };
  const end = offset + count;
  const isStuck = count === 0 && wanted > 0;
  return {
    value: slice(value, offset, end),
    offset,
    length,
    unit: unitOf(value),
    ...(end < length ? { nextOffset: end } : {}),
    ...(isStuck ? { itemTooLarge: true as const, ...keyAt(value, end) } : {}),
  };
}

/** The end of a value: as much of what is wanted as fits. */
async function lastOf(
  value: JsonValue,
  { length, wanted }: { readonly length: number; readonly wanted: number },
  room: Room,
  counter: TokenCounter,
): Promise<ValuePage> {
  let [from, to] = [length - wanted, length];
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    if (await fits(JSON.stringify(slice(value, middle, length)), room, counter)) to = middle;
    else from = middle + 1;
  }
  const offset = typeof value === "string" && splitsPair(value, from) ? from + 1 : from;
  if (offset === 0) return { value };
  const isStuck = offset === length && wanted > 0;
  return { value: slice(value, offset, length), offset, length, unit: unitOf(value), ...(isStuck ? { itemTooLarge: true as const } : {}) };
}

function unitOf(value: JsonValue): PageUnit {
  if (typeof value === "string") return "characters";
  return isArray(value) ? "items" : "members";
}

/** `undefined` for what cannot be cut. */
function lengthOf(value: JsonValue): number | undefined {
  if (typeof value === "string" || isArray(value)) return value.length;
  return isJsonObject(value) ? Object.keys(value).length : undefined;
}

function slice(value: JsonValue, start: number, end: number): JsonValue {
  if (typeof value === "string" || isArray(value)) return value.slice(start, end);
  return Object.fromEntries(Object.entries(value as object).slice(start, end)) as JsonValue;
}

/** A limit that ends within a pair gives up that character, unless it would be the only one. */
function wholeCharacters(text: string, offset: number, limit: number): number {
  if (!splitsPair(text, offset + limit) || limit === 0) return limit;
  return limit === 1 ? 2 : limit - 1;
}

function keyAt(value: JsonValue, index: number): { nextKey?: string } {
  const key = isJsonObject(value) ? Object.keys(value)[index] : undefined;
  return key === undefined || key.length > LONGEST_KEY_NAMED ? {} : { nextKey: key };
}

async function largestFitting(value: JsonValue, offset: number, wanted: number, room: Room, counter: TokenCounter): Promise<number> {
  const textOf = (count: number): string => JSON.stringify(slice(value, offset, offset + count));
  // No part longer than the room in characters can fit, whatever it holds.
  if (wanted <= room.characters && (await fits(textOf(wanted), room, counter))) return wanted;
  const ends = endsWithin(value, offset, wanted, room.characters);
  const most = ends.length - 1;
  if (most <= 0) return 0;
  const tokens = await counter.count(textOf(ends[most] as number));
  if (tokens <= room.tokens) return ends[most] as number;
  return search({ ends, textOf, room, counter }, tokens);
}

interface Search {
  readonly ends: readonly number[];
  readonly textOf: (count: number) => string;
  readonly room: Room;
  readonly counter: TokenCounter;
}

/** Between nothing, which fits, and the last of `ends`, which does not: a longer part has more tokens, roughly in proportion. */
async function search({ ends, textOf, room, counter }: Search, tokensOfAll: number): Promise<number> {
  let low = { at: 0, tokens: 0 };
  let high = { at: ends.length - 1, tokens: tokensOfAll };
  for (let tries = 0; high.at - low.at > 1; tries++) {
    const share = tries < GUESSES ? (room.tokens - low.tokens) / (high.tokens - low.tokens) : 0.5;
    const guess = low.at + Math.floor((high.at - low.at) * share);
    const at = Math.max(low.at + 1, Math.min(high.at - 1, guess));
    const tokens = await counter.count(textOf(ends[at] as number));
    if (tokens > room.tokens) {
      high = { at, tokens };
      continue;
    }
    low = { at, tokens };
    if (tokens >= room.tokens * WELL_FILLED) break;
  }
  return ends[low.at] as number;
}

/** Where a part may end, from 0 on, so long as it stays within that many characters of JSON. */
function endsWithin(value: JsonValue, offset: number, wanted: number, characters: number): number[] {
  const ends = [0];
  // The two quotes or brackets. Items and members have a comma each; the last one's is not written.
  let taken = typeof value === "string" ? 2 : 1;
  for (const [end, size] of pieces(value, offset, wanted)) {
    taken += size;
    if (taken > characters) break;
    ends.push(end);
  }
  return ends;
}

/** Each character, item or member: where it ends, and the characters it takes as JSON. */
function* pieces(value: JsonValue, offset: number, wanted: number): Generator<readonly [end: number, characters: number]> {
  if (typeof value === "string") {
    for (let at = offset; at < offset + wanted;) {
      const character = String.fromCodePoint(value.codePointAt(at) as number);
      at += character.length;
      yield [at - offset, JSON.stringify(character).length - 2];
    }
  } else if (isArray(value)) {
    for (let index = 0; index < wanted; index++) yield [index + 1, JSON.stringify(value[offset + index]).length + 1];
  } else {
    const members = Object.entries(value as Readonly<Record<string, JsonValue>>).slice(offset, offset + wanted);
    for (const [index, [key, member]] of members.entries()) {
      yield [index + 1, JSON.stringify(key).length + JSON.stringify(member).length + 2];
    }
  }
}

/** `Array.isArray` narrows a readonly array to `any[]`. */
function isArray(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
