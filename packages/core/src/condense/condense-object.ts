import type { JsonObject, JsonValue } from "../model/context.ts";
import type { CountTokens } from "../ports/environment.ts";
import { isWithin, part, type Room, shrink } from "../view/room.ts";
import type { Steps } from "../turns.ts";
import { sizeOf } from "./fill-room.ts";

interface Entry {
  readonly key: string;
  readonly member: JsonValue;
  readonly place: number;
  readonly size: Room;
}

interface How {
  readonly count: CountTokens;
  /** Condenses a member into its share. */
  readonly condense: (member: JsonValue, room: Room) => Steps<JsonValue | undefined>;
}

const TRIES = 8;

/** Small members stay whole; those that do not fit share what is left. */
export function* condenseObject(value: JsonObject, room: Room, how: How): Steps<JsonValue | undefined> {
  const entries: Entry[] = [];
  for (const [key, member] of Object.entries(value)) {
    entries.push({ key, member, place: entries.length, size: sizeOf({ [key]: member }, how.count) });
    yield;
  }
  let inside = room;
  for (let tries = 0; tries < TRIES && inside.tokens > 0 && inside.characters > 0; tries += 1) {
    const joined = joinEntries(yield* shareOut(entries, inside, how), value);
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
function* shareOut(entries: readonly Entry[], room: Room, how: How): Steps<Entry[]> {
  const kept: Entry[] = [];
  let left = room;
  const fromSmallest = entries.toSorted((a, b) => a.size.tokens - b.size.tokens || a.place - b.place);
  for (const [index, entry] of fromSmallest.entries()) {
    const fitted = yield* fitEntry(entry, part(left, 1 / (entries.length - index)), how);
    if (fitted === undefined) continue;
    kept.push(fitted);
    left = shrink(left, { tokens: fitted.size.tokens - BRACES, characters: fitted.size.characters - BRACES });
  }
  return kept.sort((a, b) => a.place - b.place);
}

/** Counted with each entry, and there once; in the place of the other is a comma. */
const BRACES = 1;

function* fitEntry(entry: Entry, room: Room, how: How): Steps<Entry | undefined> {
  if (isWithin(entry.size, room)) return entry;
  const frame = sizeOf({ [entry.key]: 0 }, how.count);
  const member = yield* how.condense(entry.member, {
    tokens: room.tokens - frame.tokens + 1,
    characters: room.characters - frame.characters + 1,
  });
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
