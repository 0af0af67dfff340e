import { isJsonObject, type JsonValue, splitsPair, type TokenCounter } from "@workrail/core";
import { fits, type Room } from "./room.ts";

/** Part of one long value: characters of a text, items of an array, or members of an object. */
export interface Range {
  /** From 0; negative values count from the end. Default 0. */
  readonly offset?: number | undefined;
  /** Instead of `offset`: this many from the end. If they do not all fit, the last ones. */
  readonly last?: number | undefined;
  /** Default: as many as fit. */
  readonly limit?: number | undefined;
}

export type PageUnit = "characters" | "items" | "members";

export interface ValuePage {
  /** Value at the path, or the requested part that fits. */
  readonly value: JsonValue;
  /** Start of the part; absent when the value is whole. */
  readonly offset?: number;
  /** Characters, items or members of the whole value; absent when the value is whole. */
  readonly length?: number;
  /** Unit of these numbers; absent when the value is whole. */
  readonly unit?: PageUnit;
  /** Offset of the next page; absent at the end. */
  readonly nextOffset?: number;
  /** The item at `nextOffset` alone exceeds the room: request its own path. */
  readonly itemTooLarge?: true;
  /** Key of that item, if it is a member of an object and the key is short. */
  readonly nextKey?: string;
}

const LONGEST_KEY_NAMED = 120;
/** Counting tokens is expensive: a page that fills this share of its room is good enough. */
const WELL_FILLED = 0.97;
/** Proportional guesses before the search falls back to bisection. */
const GUESSES = 4;

export interface PageRoom {
  /** Absent: the whole value, or its beginning. */
  readonly range?: Range | undefined;
  readonly room: Room;
}

/**
 * Returns a value, or a page of it. A value that fits is never cut; others are cut between characters, items or members, with the
 * offset to continue. Surrogate pairs are never split: a range that starts or ends inside one includes the whole pair.
 */
export async function pageValue(value: JsonValue, { range, room }: PageRoom, counter: TokenCounter): Promise<ValuePage> {
  const length = lengthOf(value);
  if (length === undefined) return { value };
  if (range?.last !== undefined) return lastOf(value, { length, wanted: Math.min(range.last, length), room }, counter);
  const asked = range?.offset ?? 0;
  const start = asked < 0 ? Math.max(0, length + asked) : Math.min(asked, length);
  const offset = typeof value === "string" && splitsPair(value, start) ? start - 1 : start;
  const limit = Math.min(range?.limit ?? length, length - offset);
  const wanted = typeof value === "string" ? wholeCharacters(value, offset, limit) : limit;
  const count = await largestFitting(value, { offset, wanted, room }, counter);
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

/** Returns the end of a value, as much of it as fits. */
async function lastOf(
  value: JsonValue,
  { length, wanted, room }: { readonly length: number; readonly wanted: number; readonly room: Room },
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

/** Returns the length of a value; `undefined` for values that cannot be cut. */
function lengthOf(value: JsonValue): number | undefined {
  if (typeof value === "string" || isArray(value)) return value.length;
  return isJsonObject(value) ? Object.keys(value).length : undefined;
}

function slice(value: JsonValue, start: number, end: number): JsonValue {
  if (typeof value === "string" || isArray(value)) return value.slice(start, end);
  return Object.fromEntries(Object.entries(value as object).slice(start, end)) as JsonValue;
}

/** Moves a limit out of a surrogate pair: drops the pair, unless it would be the only character. */
function wholeCharacters(text: string, offset: number, limit: number): number {
  if (!splitsPair(text, offset + limit) || limit === 0) return limit;
  return limit === 1 ? 2 : limit - 1;
}

function keyAt(value: JsonValue, index: number): { nextKey?: string } {
  const key = isJsonObject(value) ? Object.keys(value)[index] : undefined;
  return key === undefined || key.length > LONGEST_KEY_NAMED ? {} : { nextKey: key };
}

/** A part of a value. */
interface Wanted {
  readonly offset: number;
  /** Most characters, items or members. */
  readonly wanted: number;
}

async function largestFitting(
  value: JsonValue,
  { offset, wanted, room }: Wanted & { readonly room: Room },
  counter: TokenCounter,
): Promise<number> {
  const textOf = (count: number): string => JSON.stringify(slice(value, offset, offset + count));
  // A part with more items than the room has characters cannot fit.
  if (wanted <= room.characters && (await fits(textOf(wanted), room, counter))) return wanted;
  const ends = endsWithin(value, { offset, wanted }, room.characters);
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

/** Searches between nothing, which fits, and the last of `ends`, which does not. Tokens grow roughly in proportion to the length. */
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

/** Returns the possible ends of a part within this many characters of JSON, from 0 on. */
function endsWithin(value: JsonValue, { offset, wanted }: Wanted, characters: number): number[] {
  const ends = [0];
  // Two quotes or brackets. Each item or member counts a comma; the last one's is not written.
  let taken = typeof value === "string" ? 2 : 1;
  for (const [end, size] of pieces(value, offset, wanted)) {
    taken += size;
    if (taken > characters) break;
    ends.push(end);
  }
  return ends;
}

/** Yields the end and the JSON length of each character, item or member. */
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
