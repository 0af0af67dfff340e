import type { Context, JsonValue } from "../model/context.ts";
import type { TokenCounter } from "../ports/environment.ts";
import { cutText } from "./cut-text.ts";
import { fits, greater, isWithin, lesser, part, type Room, shrink, sizeOf } from "./room.ts";

/** The part of a context that fits, and what was left out of it. */
export interface View {
  /** Whole entries, in their original order. */
  readonly context: Context;
  /** Absent when nothing was left out. */
  readonly omitted?: Omissions;
  /** Tokens by which pinned entries went over the budget. */
  readonly budgetExceededBy?: number;
}

export interface Omissions {
  readonly count: number;
  /** The largest, as many as fit. */
  readonly entries: readonly OmittedEntry[];
  /** Continues `entries`; absent when all are named. */
  readonly nextCursor?: string;
}

export interface OmittedEntry {
  /** Shortened when it is very long; then `keyCharacters` tells its length. */
  readonly key: string;
  /** Characters of the value as JSON. */
  readonly characters: number;
  readonly keyCharacters?: number;
  readonly pinned?: true;
}

export interface ViewBudget {
  /** What the caller asked for: soft for pinned entries. */
  readonly wanted: Room;
  /** What no answer goes beyond. */
  readonly ceiling: Room;
}

interface Entry {
  readonly key: string;
  readonly value: JsonValue;
  /** As it stands in the context, with its comma. */
  readonly text: string;
  readonly isPinned: boolean;
}

/** Of the room, for the report of what was left out. */
const REPORT_SHARE = 1 / 5;
/** The report gets a part of this even under a budget that the rest of the answer has used up. */
const LEAST_BUDGET: Room = { tokens: 250, characters: 1_000 };
const LONGEST_KEY_NAMED = 120;

/**
 * Chooses whole entries until the room is used: pinned ones first, then the smallest, so that as many as possible are
 * there and the few largest are left out, each named with its size. Nothing is cut in the middle.
 *
 * The view as JSON stays within the ceiling. The one exception is a ceiling too low to say even that something is left
 * out (about a hundred characters): that is said all the same.
 *
 * @param cursor continues the report of an earlier view with the same budget; no entries are given then.
 */
export async function buildView(
  context: Context,
  pins: readonly string[],
  budget: ViewBudget,
  counter: TokenCounter,
  cursor?: number,
): Promise<View> {
  const isPinned = new Set(pins);
  const entries = Object.entries(context).map(([key, value]): Entry => {
    return { key, value, text: `${JSON.stringify(key)}:${JSON.stringify(value)},`, isPinned: isPinned.has(key) };
  });
  // First of all, because it often needs no tokens counted.
  if (cursor === undefined && (await allFit(entries, lesser(budget.wanted, budget.ceiling), counter))) return { context };
  const rooms = await divide(entries, budget, counter);
  const view = await composeWithin(entries, rooms, counter);
  if (cursor === undefined) return view;
  const left = omittedFrom(entries, view.context);
  return { context: {}, omitted: await reportPage(left, cursor, rooms.reportPage, counter) };
}

interface Rooms extends ViewBudget {
  readonly wantedEntries: Room;
  readonly ceilingEntries: Room;
  readonly report: Room;
  /** For a page that is nothing but report. */
  readonly reportPage: Room;
}

/** What is written around the entries and around their report comes off first; then the report gets its share. */
async function divide(entries: readonly Entry[], budget: ViewBudget, counter: TokenCounter): Promise<Rooms> {
  const count = entries.length;
  const emptiest: View = { context: {}, omitted: { count, entries: [], nextCursor: String(count) }, budgetExceededBy: 1e9 };
  const frame = await sizeOf(JSON.stringify(emptiest), counter);
  const wanted = lesser(budget.wanted, budget.ceiling);
  const ceilingInside = shrink(budget.ceiling, frame);
  const wantedInside = shrink(wanted, frame);
  const reportPage = lesser(greater(wantedInside, LEAST_BUDGET), ceilingInside);
  const report = await roomToName(entries, part(reportPage, REPORT_SHARE), counter);
  return {
    wanted,
    ceiling: budget.ceiling,
    wantedEntries: shrink(wantedInside, report),
    ceilingEntries: shrink(ceilingInside, report),
    report,
    reportPage,
  };
}

/** Where there are few entries, naming all of them takes less than the share. */
async function roomToName(entries: readonly Entry[], share: Room, counter: TokenCounter): Promise<Room> {
  let left = share;
  for (const entry of entries) {
    left = shrink(left, await sizeOf(named(entry, LONGEST_KEY_NAMED).text, counter));
    if (left.tokens < 0 || left.characters < 0) return share;
  }
  return shrink(share, left);
}

/** Sizes of pieces add up to a little more than the whole, as a rule; a tokenizer may have exceptions. So the whole decides. */
async function composeWithin(entries: readonly Entry[], rooms: Rooms, counter: TokenCounter): Promise<View> {
  if (await allFit(entries, rooms.wanted, counter)) return compose(entries, new Set(entries), rooms, counter);
  let chosen = await choose(entries, rooms, counter);
  for (let excess = 1; ; excess *= 2) {
    const view = await compose(entries, new Set(chosen), rooms, counter);
    if (chosen.length === 0) return view;
    const size = await sizeOf(JSON.stringify(view), counter);
    const over = size.tokens - rooms.wanted.tokens;
    const hasPinned = chosen.some((entry) => entry.isPinned);
    if (isWithin(size, hasPinned ? rooms.ceiling : rooms.wanted)) return over > 0 ? { ...view, budgetExceededBy: over } : view;
    chosen = chosen.slice(0, -excess);
  }
}

async function allFit(entries: readonly Entry[], room: Room, counter: TokenCounter): Promise<boolean> {
  const characters = entries.reduce((sum, entry) => sum + entry.text.length, 0);
  if (characters > room.characters) return false;
  const members = entries
    .map((entry) => entry.text)
    .join("")
    .slice(0, -1);
  return fits(`{"context":{${members}}}`, room, counter);
}

async function compose(entries: readonly Entry[], chosen: ReadonlySet<Entry>, rooms: Rooms, counter: TokenCounter): Promise<View> {
  const kept = entries.filter((entry) => chosen.has(entry));
  const context = Object.fromEntries(kept.map(({ key, value }) => [key, value]));
  if (kept.length === entries.length) return { context };
  return { context, omitted: await report(omittedFrom(entries, context), 0, rooms.report, counter) };
}

/** In the order of choice: what is least missed comes last. */
async function choose(entries: readonly Entry[], rooms: Rooms, counter: TokenCounter): Promise<Entry[]> {
  const chosen: Entry[] = [];
  let ceiling = rooms.ceilingEntries;
  let wanted = rooms.wantedEntries;
  const inOrder = [...entries].sort((left, right) => Number(right.isPinned) - Number(left.isPinned) || bySize(left, right));
  for (const entry of inOrder) {
    const room = entry.isPinned ? ceiling : wanted;
    if (entry.text.length > room.characters) continue;
    const size = await sizeOf(entry.text, counter);
    if (size.tokens > room.tokens) {
      // What follows is longer; pinned entries are each tried, for there are few and they matter.
      if (entry.isPinned) continue;
      break;
    }
    chosen.push(entry);
    ceiling = shrink(ceiling, size);
    wanted = shrink(wanted, size);
  }
  return chosen;
}

function bySize(left: Entry, right: Entry): number {
  return left.text.length - right.text.length || (left.key < right.key ? -1 : 1);
}

/** The largest first. */
function omittedFrom(entries: readonly Entry[], context: Context): Entry[] {
  return entries
    .filter(({ key }) => !Object.hasOwn(context, key))
    .sort(bySize)
    .reverse();
}

/** Names the largest first. Even where there is no room the count and a cursor are told. */
async function report(omitted: readonly Entry[], start: number, room: Room, counter: TokenCounter): Promise<Omissions> {
  const entries: OmittedEntry[] = [];
  let left = room;
  for (let index = start; index < omitted.length; index++) {
    const { name, text } = named(omitted[index] as Entry, LONGEST_KEY_NAMED);
    if (text.length > left.characters) break;
    const size = await sizeOf(text, counter);
    if (size.tokens > left.tokens) break;
    left = shrink(left, size);
    entries.push(name);
  }
  return omissions(omitted.length, start, entries);
}

/** Names at least one, with less and less of its key, so that whoever follows the cursors arrives. */
async function reportPage(omitted: readonly Entry[], start: number, room: Room, counter: TokenCounter): Promise<Omissions> {
  const page = await report(omitted, start, room, counter);
  const next = omitted[start];
  if (page.entries.length > 0 || next === undefined) return page;
  let longest = LONGEST_KEY_NAMED / 2;
  while (longest > 1 && !(await fits(named(next, longest).text, room, counter))) longest = Math.floor(longest / 2);
  return omissions(omitted.length, start, [named(next, longest).name]);
}

function omissions(count: number, start: number, entries: readonly OmittedEntry[]): Omissions {
  const next = start + entries.length;
  return { count, entries, ...(next < count ? { nextCursor: String(next) } : {}) };
}

/** An entry's line in the report, and the text that it will be there. */
function named(entry: Entry, longest: number): { readonly name: OmittedEntry; readonly text: string } {
  const { key, text, isPinned } = entry;
  const isLong = key.length > longest;
  const name: OmittedEntry = {
    key: isLong ? `${cutText(key, longest)}...` : key,
    characters: text.length - JSON.stringify(key).length - 2,
    ...(isLong ? { keyCharacters: key.length } : {}),
    ...(isPinned ? { pinned: true as const } : {}),
  };
  return { name, text: `${JSON.stringify(name)},` };
}
