import type { CountTokens, JsonValue, Layer, Steps } from "@workrail/core";
import { byLength, type Entry, type EntrySizes } from "./entry.ts";
import { RELEVANCE_WEIGHT, relevanceOf } from "./relevance.ts";
import { greater, isWithin, lesser, part, type Room, shrink, sum } from "./room.ts";

/** Outcome for an entry. `reduced`: repetitive or empty parts were removed; `condensed`: only the most useful parts are left. */
export type Outcome = "kept" | "reduced" | "condensed" | "dropped";

/** Shorter form of a value. */
export interface ShorterValue {
  readonly value: JsonValue;
  /** Tokens of the value as JSON. */
  readonly tokens: number;
  readonly outcome: "reduced" | "condensed";
}

/** Shortens a value so that its JSON fits into a room. `undefined` when nothing useful would be left. Yields to other work. */
export type ShortenValue = (value: JsonValue, room: Room, count: CountTokens) => Steps<ShorterValue | undefined>;

export interface ChooseOptions {
  /** Default: entries are whole or omitted. */
  readonly shorten?: ShortenValue | undefined;
  /** Current interest: too large entries with these words get more room. */
  readonly focus?: string | undefined;
  /** Shares of the layers when not everything fits, in proportion. */
  readonly shares?: { readonly [L in Layer]?: number | undefined } | undefined;
  /** Most tokens per layer, regardless of unused room. Does not apply to CRITICAL entries. */
  readonly caps?: { readonly [L in Layer]?: number | undefined } | undefined;
}

interface Choosing extends ChooseOptions {
  readonly sizes: EntrySizes;
}

export interface Chosen {
  readonly entry: Entry;
  readonly value: JsonValue;
  /** Tokens of the value as JSON. */
  readonly tokens: number;
  readonly characters: number;
  /** Size within the context, including key and comma. */
  readonly size: Room;
  readonly outcome: Exclude<Outcome, "dropped">;
}

/** Room for entries: requested, and hard limit. */
export interface EntryRooms {
  readonly wanted: Room;
  readonly ceiling: Room;
}

const NOTHING: Room = { tokens: 0, characters: 0 };
/** Smallest useful room of an entry. Entries are omitted rather than given less. */
const LEAST_USEFUL: Room = { tokens: 60, characters: 240 };
/** Smallest room of the first entry. */
const LEAST_OF_ALL: Room = { tokens: 20, characters: 80 };
/** Smallest unused room to offer, and most entries to offer it to. */
const LEAST_LEFT_OVER: Room = { tokens: 12, characters: 48 };
const MOST_OFFERS = 8;
/** Failed attempts after which the search for smaller entries ends. */
const MOST_MISSES = 200;

/**
 * Chooses entries for a view. CRITICAL entries stay whole, regardless of the requested room; those beyond the ceiling are
 * shortened. IMPORTANT and USEFUL share the rest, USEFUL giving way to IMPORTANT. Unused room is passed on, and finally offered
 * to omitted entries. EPHEMERAL entries get only room that the others cannot use, except that those matching the focus best count
 * as USEFUL.
 */
export function* chooseEntries(entries: readonly Entry[], rooms: EntryRooms, options: Choosing): Steps<Chosen[]> {
  const of = (layer: Layer): Entry[] => entries.filter((entry) => entry.layer === layer);
  const critical = yield* chooseCritical(of("CRITICAL"), rooms.ceiling, options);
  const left = shrink(lesser(rooms.wanted, rooms.ceiling), totalOf(critical));
  const answering = answersAmong(of("EPHEMERAL"), entries, options.focus);
  const [important, useful] = [of("IMPORTANT"), [...of("USEFUL"), ...answering]];
  const chosen = yield* shareOut({ important, useful }, left, options);
  for (const [layer, ones] of [["IMPORTANT", important] as const, ["USEFUL", useful] as const]) {
    chosen.push(...(yield* offerRest({ layer, entries: ones, chosen }, shrink(left, totalOf(chosen)), options)));
  }
  const isWhole = chosen.length === important.length + useful.length && chosen.every(({ outcome }) => outcome !== "condensed");
  const spare = shrink(left, totalOf(chosen));
  const ephemeral = of("EPHEMERAL").filter((entry) => !answering.has(entry));
  // Room that no other layer could use. Smaller remainders of shortening are useless.
  if (!isWhole && !isWithin(LEAST_USEFUL, spare)) return [...critical, ...chosen];
  return [...critical, ...chosen, ...(yield* fill(ephemeral, capped("EPHEMERAL", spare, options), options))];
}

/** Share of the remaining room for shortened CRITICAL entries. */
const SHORTENED_SHARE = 2 / 3;

/** Keeps as many CRITICAL entries whole as fit; shortens the others instead of omitting them in favour of a lower layer. */
function* chooseCritical(entries: readonly Entry[], room: Room, options: Choosing): Steps<Chosen[]> {
  const chosen = wholeOnes(entries.toSorted(surestFirst), room, options.sizes);
  if (chosen.length === entries.length || options.shorten === undefined) return chosen;
  const there = new Set(chosen.map(({ entry }) => entry));
  const large = entries.filter((entry) => !there.has(entry));
  return [...chosen, ...(yield* fill(large, part(shrink(room, totalOf(chosen)), SHORTENED_SHARE), options))];
}

/** Returns EPHEMERAL entries that match the focus as well as any entry. They count as USEFUL, because the answer may be in a log. */
function answersAmong(ephemeral: readonly Entry[], entries: readonly Entry[], focus: string | undefined): ReadonlySet<Entry> {
  if (focus === undefined || ephemeral.length === 0) return new Set();
  const relevance = relevanceOf(entries, focus);
  const best = entries.reduce((most, entry) => Math.max(most, relevance(entry)), 0);
  return new Set(ephemeral.filter((entry) => best > 0 && relevance(entry) === best));
}

function capped(layer: Layer, room: Room, { caps }: ChooseOptions): Room {
  return { ...room, tokens: Math.min(room.tokens, caps?.[layer] ?? room.tokens) };
}

interface Sharing {
  readonly important: readonly Entry[];
  readonly useful: readonly Entry[];
}

/** Gives USEFUL the room that IMPORTANT leaves, but at least its share, unless an IMPORTANT entry would be omitted for it. */
function* shareOut(entries: Sharing, room: Room, options: Choosing): Steps<Chosen[]> {
  const forImportant = share(options, "IMPORTANT");
  const ofBoth = forImportant + share(options, "USEFUL");
  const guaranteed = part(room, ofBoth === 0 ? 0 : 1 - forImportant / ofBoth);
  const demand = sumWithin(entries.important, capped("IMPORTANT", room, options), options.sizes);
  const usefulRoom = demand === undefined ? guaranteed : greater(guaranteed, shrink(room, demand));
  const useful = yield* fill(entries.useful, capped("USEFUL", usefulRoom, options), options);
  const important = yield* fill(entries.important, capped("IMPORTANT", shrink(room, totalOf(useful)), options), options);
  // Keeps a configured share, and USEFUL entries that may match a focus.
  const mayGiveWay = options.focus === undefined && options.shares?.USEFUL === undefined;
  if (important.length === entries.important.length || useful.length === 0 || !mayGiveWay) return [...important, ...useful];
  const more = yield* fill(entries.important, capped("IMPORTANT", room, options), options);
  if (more.length <= important.length) return [...important, ...useful];
  return [...more, ...(yield* fill(entries.useful, capped("USEFUL", shrink(room, totalOf(more)), options), options))];
}

interface Offered {
  readonly layer: Layer;
  readonly entries: readonly Entry[];
  readonly chosen: readonly Chosen[];
}

/** Offers unused room to omitted entries of a layer. */
function* offerRest({ layer, entries, chosen }: Offered, room: Room, options: Choosing): Steps<Chosen[]> {
  const found: Chosen[] = [];
  if (entries.length === 0 || !isWithin(LEAST_LEFT_OVER, room)) return found;
  const ones = new Set(entries);
  const taken = totalOf(chosen.filter(({ entry }) => ones.has(entry)));
  let left = shrink(capped(layer, sum(room, taken), options), taken);
  const there = new Set(chosen.map(({ entry }) => entry));
  const rest = relevantFirst(
    entries.filter((entry) => !there.has(entry)),
    options,
  );
  for (const entry of rest.slice(0, MOST_OFFERS)) {
    if (!isWithin(LEAST_LEFT_OVER, left)) break;
    const placed = yield* place(entry, left, options);
    if (placed === undefined) continue;
    found.push(placed);
    left = shrink(left, placed.size);
  }
  return found;
}

/** Sorts by relevance, then by length. */
function relevantFirst(entries: readonly Entry[], options: ChooseOptions): Entry[] {
  const relevance = relevanceOf(entries, options.focus);
  return [...entries].sort((left, right) => relevance(right) - relevance(left) || byLength(left, right));
}

/** Default shares of a view's room for the layers. */
const DEFAULT_SHARES: { readonly [L in Layer]: number } = { CRITICAL: 0.3, IMPORTANT: 0.4, USEFUL: 0.2, EPHEMERAL: 0.1 };

function share(options: ChooseOptions, layer: Layer): number {
  return options.shares?.[layer] ?? DEFAULT_SHARES[layer];
}

/** Explicit marks come before inferred ones. */
function surestFirst(left: Entry, right: Entry): number {
  return right.confidence - left.confidence || byLength(left, right);
}

export function totalOf(chosen: readonly Chosen[]): Room {
  return chosen.reduce((total, { size }) => sum(total, size), NOTHING);
}

/** Returns as many whole entries as fit, in the given order. */
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

/** Returns the total size; `undefined` when it exceeds the room. */
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

/** Keeps small entries whole; large ones share the rest. Omits some when there is no room for the smallest useful part of each. */
function* fill(entries: readonly Entry[], room: Room, options: Choosing): Steps<Chosen[]> {
  if (sumWithin(entries, room, options.sizes) !== undefined) return entries.map((entry) => whole(entry, options.sizes));
  const admitted = admit(entries, room, options);
  const chosen: Chosen[] = [];
  const large: Entry[] = [];
  let left = room;
  for (const entry of admitted) {
    const level = part(left, 1 / (admitted.length - chosen.length));
    if (!options.sizes.isWithin(entry, level)) {
      large.push(entry);
      continue;
    }
    chosen.push(whole(entry, options.sizes));
    left = shrink(left, options.sizes.of(entry));
  }
  return [...chosen, ...(yield* divide(large, left, options))];
}

/** Selects entries with room for at least their smallest useful part: relevant ones first, then the shortest. */
function admit(entries: readonly Entry[], room: Room, options: Choosing): Entry[] {
  const admitted: Entry[] = [];
  let left = room;
  let misses = 0;
  for (const entry of relevantFirst(entries, options)) {
    if (misses > MOST_MISSES) break;
    const useful = admitted.length === 0 ? LEAST_OF_ALL : LEAST_USEFUL;
    const needed = leastOf({ entry, useful }, left, options);
    if (needed === undefined || !isWithin(needed, left)) {
      misses += 1;
      continue;
    }
    left = shrink(left, needed);
    admitted.push(entry);
  }
  return admitted.sort(byLength);
}

/** Returns the smallest useful room of an entry; `undefined` when it certainly does not fit. */
function leastOf(
  { entry, useful }: { readonly entry: Entry; readonly useful: Room },
  left: Room,
  { shorten, sizes }: Choosing,
): Room | undefined {
  if (entry.json.length <= useful.characters || shorten === undefined || !isDivisible(entry.value)) {
    return sizes.isWithin(entry, left) ? sizes.of(entry) : undefined;
  }
  return sum(sizes.around(entry), useful);
}

function isDivisible(value: JsonValue): boolean {
  return typeof value === "string" || (typeof value === "object" && value !== null);
}

/** Divides room by relevance if there is a focus, otherwise evenly. Unused room goes to the next entry. */
function* divide(entries: readonly Entry[], room: Room, options: Choosing): Steps<Chosen[]> {
  const relevance = relevanceOf(entries, options.focus);
  const weights = entries.map((entry) => 1 + RELEVANCE_WEIGHT * relevance(entry));
  let waiting = weights.reduce((total, weight) => total + weight, 0);
  let left = room;
  const chosen: Chosen[] = [];
  for (const [index, entry] of entries.entries()) {
    const weight = weights[index] as number;
    const isLast = index === entries.length - 1;
    const placed = yield* place(entry, isLast ? left : part(left, weight / waiting), options);
    waiting -= weight;
    // The entry cannot be shortened usefully: its room is divided again among all others.
    if (placed === undefined) return yield* divide(entries.toSpliced(index, 1), room, options);
    chosen.push(placed);
    left = shrink(left, placed.size);
  }
  return chosen;
}

function* place(entry: Entry, room: Room, options: Choosing): Steps<Chosen | undefined> {
  if (options.sizes.isWithin(entry, room)) return whole(entry, options.sizes);
  const around = options.sizes.around(entry);
  const inside = shrink(room, around);
  if (options.shorten === undefined || inside.tokens <= 0 || inside.characters <= 0) return undefined;
  const shorter = yield* options.shorten(entry.value, inside, options.sizes.count);
  if (shorter === undefined) return undefined;
  const { value, tokens, outcome } = shorter;
  const characters = JSON.stringify(value).length;
  return { entry, value, tokens, characters, size: sum(around, { tokens, characters }), outcome };
}
