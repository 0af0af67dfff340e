import { type CountTokens, encodeUtf8, type TokenCounter } from "@workrail/core";

/** Limit for a part of an answer, serialised as JSON. */
export interface Room {
  readonly tokens: number;
  readonly characters: number;
}

/** True when a text fits. Counts tokens only when necessary: a token has at least one byte of UTF-8, so few bytes are proof enough. */
export async function fits(text: string, room: Room, counter: TokenCounter): Promise<boolean> {
  if (text.length > room.characters) return false;
  if (text.length * 3 <= room.tokens || encodeUtf8(text).length <= room.tokens) return true;
  return (await counter.count(text)) <= room.tokens;
}

/** Returns the size of a text. */
export function measure(text: string, count: CountTokens): Room {
  return { tokens: count(text), characters: text.length };
}

/** Returns the size of a text. */
export async function sizeOf(text: string, counter: TokenCounter): Promise<Room> {
  return { tokens: await counter.count(text), characters: text.length };
}

export function isWithin(size: Room, room: Room): boolean {
  return size.tokens <= room.tokens && size.characters <= room.characters;
}

export function shrink(room: Room, by: Room): Room {
  return { tokens: room.tokens - by.tokens, characters: room.characters - by.characters };
}

export function sum(left: Room, right: Room): Room {
  return { tokens: left.tokens + right.tokens, characters: left.characters + right.characters };
}

export function part(room: Room, share: number): Room {
  return { tokens: Math.floor(room.tokens * share), characters: Math.floor(room.characters * share) };
}

/** Returns the smaller of both limits. */
export function lesser(left: Room, right: Room): Room {
  return { tokens: Math.min(left.tokens, right.tokens), characters: Math.min(left.characters, right.characters) };
}

/** Returns the larger of both limits. */
export function greater(left: Room, right: Room): Room {
  return { tokens: Math.max(left.tokens, right.tokens), characters: Math.max(left.characters, right.characters) };
}
