import { DEFAULT_SHARES } from "../classify/context-rules.ts";
import type { JsonValue } from "../model/context.ts";
import type { Layer } from "../model/layer.ts";
import type { CountTokens } from "../ports/environment.ts";
import type { Steps } from "../turns.ts";
import { byLength, type Entry, type EntrySizes } from "./entry.ts";
import { RELEVANCE_WEIGHT, relevanceOf } from "./relevance.ts";
import { greater, isWithin, lesser, part, type Room, shrink, sum } from "./room.ts";

/** What became of an entry. `reduced`: what repeats or says nothing is gone; `condensed`: only the most useful is left. */
export type Outcome = "kept" | "reduced" | "condensed" | "dropped";

/** What a shorter form of a value is. */
export interface ShorterValue {
  readonly value: JsonValue;
  /** Of the value as JSON. */
  readonly tokens: number;
  readonly outcome: "reduced" | "condensed";
}

/**
 * Makes a value fit: its JSON takes no more than the room. `undefined` where nothing useful would be left of it. Yields
 * where other work may have its turn.
 */
export type ShortenValue = (value: JsonValue, room: Room, count: CountTokens) => Steps<ShorterValue | undefined>;

export interface ChooseHow {
  /** Default: entries are given whole, or not at all. */
  readonly shorten?: ShortenValue | undefined;
  /** What matters now: of what is too large, what has these words gets more room. */
  readonly focus?: string | undefined;
  /** What the layers get of the room when not all fits, in proportion. */
  readonly shares?: { readonly [L in Layer]?: number | undefined } | undefined;
  /** The most tokens that a layer gets, whatever is left. CRITICAL entries are not held to it. */
  readonly caps?: { readonly [L in Layer]?: number | undefined } | undefined;
}

export interface Chosen {
  readonly entry: Entry;
  readonly value: JsonValue;
  /** Of the value as JSON. */
  readonly tokens: number;
  readonly characters: number;
  /** Within the context: with key and comma. */
  readonly size: Room;
  readonly outcome: Exclude<Outcome, "dropped">;
}

/** Room for entries: what the caller asked for, and what no answer goes beyond. */
export interface EntryRooms {
  readonly wanted: Room;
  readonly ceiling: Room;
}

const NOTHING: Room = { tokens: 0, characters: 0 };
/** Rather leave some out than give less of each than this. */
const LEAST_USEFUL: Room = { tokens: 60, characters: 240 };
/** For the first of them it may be less. */
const LEAST_OF_ALL: Room = { tokens: 20, characters: 80 };
/** Looking for a smaller one among those that remain ends after so many in vain. */
const MOST_MISSES = 200;

/**
 * Chooses what of a context to give. CRITICAL entries come whole, within the ceiling, whatever was wanted. What they
 * leave is shared: USEFUL gives way to IMPORTANT, both before anything is lost that could have stayed; unused room flows
 * on. EPHEMERAL entries take nothing from the others: they get what those leave once they are as whole as they can be.
 */
export function* chooseEntries(entries: readonly Entry[], rooms: EntryRooms, how: ChooseHow, sizes: EntrySizes): Steps<Chosen[]> {
  const of = (layer: Layer): Entry[] => entries.filter((entry) => entry.layer === layer);
  const critical = wholeOnes(of("CRITICAL").sort(surestFirst), rooms.ceiling, sizes);
  const left = shrink(lesser(rooms.wanted, rooms.ceiling), totalOf(critical));
  const capped = (layer: Layer, room: Room): Room => ({ ...room, tokens: Math.min(room.tokens, how.caps?.[layer] ?? room.tokens) });
  const [importantOnes, usefulOnes] = [of("IMPORTANT"), of("USEFUL")];
  const important = share(how, "IMPORTANT");
  const ofBoth = important + share(how, "USEFUL");
  const guaranteed = part(left, ofBoth === 0 ? 0 : 1 - important / ofBoth);
  const demand = sumWithin(importantOnes, capped("IMPORTANT", left), sizes);
  const usefulRoom = demand === undefined ? guaranteed : greater(guaranteed, shrink(left, demand));
  const useful = yield* fill(usefulOnes, capped("USEFUL", usefulRoom), how, sizes);
  const chosen = [...(yield* fill(importantOnes, capped("IMPORTANT", shrink(left, totalOf(useful))), how, sizes)), ...useful];
  const isWhole = chosen.length === importantOnes.length + usefulOnes.length && chosen.every(({ outcome }) => outcome !== "condensed");
  const spare = shrink(left, totalOf(chosen));
  // What no other layer could use. Less than this is what shortening leaves over, and nothing useful fits in it.
  if (!isWhole && !isWithin(LEAST_USEFUL, spare)) return [...critical, ...chosen];
  return [...critical, ...chosen, ...(yield* fill(of("EPHEMERAL"), capped("EPHEMERAL", spare), how, sizes))];
}

function share(how: ChooseHow, layer: Layer): number {
  return how.shares?.[layer] ?? DEFAULT_SHARES[layer];
}

/** What an agent marked comes before what was taken for critical. */
function surestFirst(left: Entry, right: Entry): number {
  return right.confidence - left.confidence || byLength(left, right);
}

export function totalOf(chosen: readonly Chosen[]): Room {
  return chosen.reduce((total, { size }) => sum(total, size), NOTHING);
}

/** As many as fit, in the order given. */
function wholeOnes(entries: readonly Entry[], room: Room, sizes: EntrySizes): Chosen[] {
  const chosen: Chosen[] = [];
  let left = room;
  let misses = 0;
  for (const entry of entries) {
    if (misses > MOST_MISSES) break;
    if (!sizes.isWithin(entry, left)) {
      misses += 1;
      continue;
    }
    chosen.push(whole(entry, sizes));
    left = shrink(left, sizes.of(entry));
  }
  return chosen;
}

function whole(entry: Entry, sizes: EntrySizes): Chosen {
  const outcome = entry.isReduced ? ("reduced" as const) : ("kept" as const);
  const { value, json } = entry;
  return { entry, value, tokens: sizes.tokensOf(entry), characters: json.length, size: sizes.of(entry), outcome };
}

/** `undefined` when they take more than the room. */
export function sumWithin(entries: readonly Entry[], room: Room, sizes: EntrySizes): Room | undefined {
  const characters = entries.reduce((total, { key, json }) => total + key.length + json.length, 0);
  if (characters > room.characters) return undefined;
  let left = room;
  for (const entry of entries) {
    if (!sizes.isWithin(entry, left)) return undefined;
    left = shrink(left, sizes.of(entry));
  }
  return shrink(room, left);
}

/** Small entries whole; large ones share what those leave. Where even the least of each is too much, some are left out. */
function* fill(entries: readonly Entry[], room: Room, how: ChooseHow, sizes: EntrySizes): Steps<Chosen[]> {
  if (sumWithin(entries, room, sizes) !== undefined) return entries.map((entry) => whole(entry, sizes));
  const admitted = admit(entries, room, how, sizes);
  const chosen: Chosen[] = [];
  const large: Entry[] = [];
  let left = room;
  for (const entry of admitted) {
    const level = part(left, 1 / (admitted.length - chosen.length));
    if (!sizes.isWithin(entry, level)) {
      large.push(entry);
      continue;
    }
    chosen.push(whole(entry, sizes));
    left = shrink(left, sizes.of(entry));
  }
  return [...chosen, ...(yield* divide(large, left, how, sizes))];
}

/** Those that there is room for, if only for the least of each: relevant ones first, then the shortest. */
function admit(entries: readonly Entry[], room: Room, how: ChooseHow, sizes: EntrySizes): Entry[] {
  const relevance = relevanceOf(entries, how.focus);
  const order = [...entries].sort((left, right) => relevance(right) - relevance(left) || byLength(left, right));
  const admitted: Entry[] = [];
  let left = room;
  let misses = 0;
  for (const entry of order) {
    if (misses > MOST_MISSES) break;
    const useful = admitted.length === 0 ? LEAST_OF_ALL : LEAST_USEFUL;
    const needed = leastOf({ entry, useful }, left, how, sizes);
    if (needed === undefined || !isWithin(needed, left)) {
      misses += 1;
      continue;
    }
    left = shrink(left, needed);
    admitted.push(entry);
  }
  return admitted.sort(byLength);
}

/** The least room that makes sense for it; `undefined` when that is surely too much. */
function leastOf(
  { entry, useful }: { readonly entry: Entry; readonly useful: Room },
  left: Room,
  { shorten }: ChooseHow,
  sizes: EntrySizes,
): Room | undefined {
  if (entry.json.length <= useful.characters || shorten === undefined || !isDivisible(entry.value)) {
    return sizes.isWithin(entry, left) ? sizes.of(entry) : undefined;
  }
  return sum(sizes.around(entry), useful);
}

function isDivisible(value: JsonValue): boolean {
  return typeof value === "string" || (typeof value === "object" && value !== null);
}

/** By relevance, if there is a focus; evenly otherwise. What one does not use, the next gets. */
function* divide(entries: readonly Entry[], room: Room, how: ChooseHow, sizes: EntrySizes): Steps<Chosen[]> {
  const relevance = relevanceOf(entries, how.focus);
  const weights = entries.map((entry) => 1 + RELEVANCE_WEIGHT * relevance(entry));
  let waiting = weights.reduce((total, weight) => total + weight, 0);
  let left = room;
  const chosen: Chosen[] = [];
  for (const [index, entry] of entries.entries()) {
    const weight = weights[index] as number;
    const isLast = index === entries.length - 1;
    const placed = yield* place(entry, isLast ? left : part(left, weight / waiting), how, sizes);
    waiting -= weight;
    // There is no use in it: what was meant for it goes to the others, those before it included.
    if (placed === undefined) return yield* divide(entries.toSpliced(index, 1), room, how, sizes);
    chosen.push(placed);
    left = shrink(left, placed.size);
  }
  return chosen;
}

function* place(entry: Entry, room: Room, how: ChooseHow, sizes: EntrySizes): Steps<Chosen | undefined> {
  if (sizes.isWithin(entry, room)) return whole(entry, sizes);
  const around = sizes.around(entry);
  const inside = shrink(room, around);
  if (how.shorten === undefined || inside.tokens <= 0 || inside.characters <= 0) return undefined;
  const shorter = yield* how.shorten(entry.value, inside, sizes.count);
  if (shorter === undefined) return undefined;
  const { value, tokens, outcome } = shorter;
  const characters = JSON.stringify(value).length;
  return { entry, value, tokens, characters, size: sum(around, { tokens, characters }), outcome };
}
