import type { CountTokens, JsonObject, JsonValue, Steps } from "@workrail/core";
import { RELEVANCE_WEIGHT } from "../view/relevance.ts";
import { isWithin, lesser, part, type Room, shrink } from "../view/room.ts";
import { withoutName } from "./compact-json.ts";
import { sizeOf } from "./fill-room.ts";
import { relevanceOfEach } from "./relevance.ts";

interface Entry {
  readonly key: string;
  readonly member: JsonValue;
  readonly place: number;
  readonly size: Room;
  /** Relative share of the room. */
  readonly weight: number;
}

interface CondenseObjectOptions {
  readonly count: CountTokens;
  readonly focus: string | undefined;
  /** Condenses a member into its share. */
  readonly condense: (member: JsonValue, room: Room) => Steps<JsonValue | undefined>;
}

const TRIES = 8;

/** Smallest useful room of a member that does not fit. */
export const LEAST_OF_MEMBER: Room = { tokens: 40, characters: 160 };

/** Condenses an object: small members stay whole; others share the rest, with more for those related to the focus. */
export function* condenseObject(value: JsonObject, room: Room, options: CondenseObjectOptions): Steps<JsonValue | undefined> {
  const entries: Entry[] = [];
  const members = Object.entries(value);
  const { focus } = options;
  const relevances =
    focus === undefined
      ? []
      : relevanceOfEach(
          focus,
          members.map(([key, member]) => `${key} ${JSON.stringify(member)}`),
        );
  for (const [place, [key, member]] of members.entries()) {
    const size = sizeOf({ [key]: member }, options.count);
    entries.push({ key, member, place, size, weight: 1 + RELEVANCE_WEIGHT * (relevances[place] ?? 0) });
    yield;
  }
  let inside = room;
  for (let tries = 0; tries < TRIES && inside.tokens > 0 && inside.characters > 0; tries += 1) {
    const joined = joinEntries(yield* shareOut(entries, inside, options), value);
    if (joined === undefined) return undefined;
    const size = sizeOf(joined, options.count);
    if (isWithin(size, room)) return joined;
    // Accounts for the note on omitted members, and for tokens at the joints.
    const over = { tokens: Math.max(1, size.tokens - room.tokens), characters: Math.max(1, size.characters - room.characters) };
    inside = shrink(inside, over);
  }
  return undefined;
}

/** Shares out room from the smallest member on, so that unused room goes to the larger ones. */
function* shareOut(entries: readonly Entry[], room: Room, options: CondenseObjectOptions): Steps<Entry[]> {
  const kept: Entry[] = [];
  const fromSmallest = admit(entries, room).sort((a, b) => a.size.tokens - b.size.tokens || a.place - b.place);
  let waiting = fromSmallest.reduce((sum, { weight }) => sum + weight, 0);
  let left = room;
  for (const entry of fromSmallest) {
    const fitted = yield* fitEntry(entry, part(left, entry.weight / waiting), options);
    waiting -= entry.weight;
    if (fitted === undefined) continue;
    kept.push(fitted);
    left = shrink(left, { tokens: fitted.size.tokens - BRACES, characters: fitted.size.characters - BRACES });
  }
  return kept.sort((a, b) => a.place - b.place);
}

/** Selects members with room for at least their smallest useful part: relevant ones first, then small ones, then later ones. */
function admit(entries: readonly Entry[], room: Room): Entry[] {
  const isSmall = ({ size }: Entry): number => (isWithin(size, LEAST_OF_MEMBER) ? 1 : 0);
  const inOrder = entries.toSorted((a, b) => b.weight - a.weight || isSmall(b) - isSmall(a) || b.place - a.place);
  const admitted: Entry[] = [];
  let left = room;
  for (const entry of inOrder) {
    const needed = lesser(entry.size, part(LEAST_OF_MEMBER, entry.weight));
    if (admitted.length > 0 && !isWithin(needed, left)) continue;
    admitted.push(entry);
    left = shrink(left, needed);
  }
  return admitted;
}

/** Size of the braces that are counted with each entry but written once, minus the comma in their place. */
const BRACES = 1;

function* fitEntry(entry: Entry, room: Room, options: CondenseObjectOptions): Steps<Entry | undefined> {
  if (isWithin(entry.size, room)) return entry;
  const frame = sizeOf({ [entry.key]: 0 }, options.count);
  const member = yield* options.condense(withoutName(entry.member, entry.key), {
    tokens: room.tokens - frame.tokens + 1,
    characters: room.characters - frame.characters + 1,
  });
  if (member === undefined) return undefined;
  const size = sizeOf({ [entry.key]: member }, options.count);
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
