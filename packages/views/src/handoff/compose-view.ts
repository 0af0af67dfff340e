import { type Context, type CountTokens, inTurns, type JsonValue, type Steps, type TokenCounter } from "@workrail/core";
import { HANDOFF_PARTS } from "./handoff-part.ts";
import { isWholeWithin, type ViewBudget } from "../view/build-view.ts";
import { entriesOf, type Entry, EntrySizes } from "../view/entry.ts";
import { greater, isWithin, lesser, measure, part, type Room, shrink } from "../view/room.ts";
import { cutExcerpts } from "./cut-excerpts.ts";
import { isComplete } from "./is-complete.ts";
import { type Incomplete, type MissingNames, nameMissing, nameMore } from "./name-missing.ts";
import { type RankOptions, type Ranked, rankExcerpts } from "./rank-excerpts.ts";
import { byEntry, countByKey, renderEntry } from "./render-view.ts";

/** Part of a context that fits, with the names of incomplete entries. */
export interface ComposedView extends MissingNames {
  /** Entries by purpose, the goal first, whole or as excerpts; the whole context in saved order when it fits. */
  readonly context: Context;
}

/** Smallest room of a view, even when the rest of the answer used up the budget. */
const LEAST_ROOM: Room = { tokens: 100, characters: 400 };
/** Largest share of the room for names of incomplete entries, and for names and counts together. */
const NAMES_SHARE = 1 / 6;
const REPORT_SHARE = 1 / 5;
export interface ComposeOptions extends RankOptions {
  readonly budget: ViewBudget;
  /** Continues the report of an earlier view with the same budget, without entries. */
  readonly cursor?: number | undefined;
}

/**
 * Composes a view for continuing saved work, within a budget: the whole context if it fits; otherwise the goal, the user's
 * instructions, the last turns, open work, decisions, failures, references, and the rest, each under its own key, with the names
 * of shortened or omitted entries. A larger budget includes everything that a smaller one does, except the excerpts that fill
 * the last tokens of the smaller one: all excerpts have one order, and the budget determines where it is cut. No entry of a lower
 * layer is included while a CRITICAL one is absent.
 *
 * The budget is hard, also for CRITICAL entries: the view as JSON stays within it, unless the budget is below about a hundred
 * tokens, and never exceeds the ceiling, unless even the counts of omitted entries do not fit.
 */
export async function composeView(context: Context, options: ComposeOptions, tokens: TokenCounter): Promise<ComposedView> {
  const { budget, cursor } = options;
  const entries = await inTurns(entriesOf(context, options.classifications, undefined));
  if (cursor === undefined && (await isWholeWithin(entries, budget, tokens))) return { context };
  const count = await tokens.load();
  const ranked = await inTurns(rankExcerpts(context, options));
  const room = lesser(greater(budget.wanted, LEAST_ROOM), budget.ceiling);
  const report = budget.names ?? part(room, REPORT_SHARE);
  return inTurns(new Composer(entries, ranked, { room, report, count }).compose(cursor));
}

interface Rooms {
  readonly room: Room;
  /** Part of it for names and counts of incomplete entries. */
  readonly report: Room;
}

class Composer {
  readonly #entries: readonly Entry[];
  readonly #ranked: readonly Ranked[];
  readonly #room: Room;
  readonly #report: Room;
  readonly #names: Room;
  readonly #sizes: EntrySizes;
  readonly #totals: ReadonlyMap<string, number>;
  /** JSON of entries rewritten from all of their excerpts, by key; `undefined` when the rewritten form is incomplete. */
  readonly #rewritten = new Map<string, string | undefined>();

  constructor(entries: readonly Entry[], ranked: readonly Ranked[], { room, report, count }: Rooms & { readonly count: CountTokens }) {
    this.#entries = entries;
    this.#ranked = ranked;
    this.#room = room;
    this.#report = report;
    this.#names = part(room, NAMES_SHARE);
    this.#sizes = new EntrySizes(count);
    this.#totals = countByKey(ranked);
  }

  *compose(cursor: number | undefined): Steps<ComposedView> {
    const chosen = yield* cutExcerpts(this.#ranked, this.#room.tokens, {
      count: this.#sizes.count,
      excessOf: (tried) => this.#excessOf(tried),
    });
    const shown = this.#render(chosen);
    const names = chosen.every(isRequired) ? this.#roomBeside(shown) : this.#names;
    const grown = this.#grow(shown, names);
    if (cursor !== undefined)
      return { context: {}, ...nameMore(this.#incomplete(grown), { start: cursor, room: this.#room }, this.#sizes.count) };
    return this.#view(grown, names);
  }

  /** Returns the tokens by which a view of these excerpts is too large. Four characters count as a token. */
  #excessOf(chosen: readonly Ranked[]): number {
    // CRITICAL entries take precedence over names.
    const size = this.#measure(this.#view(this.#render(chosen), chosen.every(isRequired) ? NOTHING : this.#names));
    return Math.max(size.tokens - this.#room.tokens, Math.ceil((size.characters - this.#room.characters) / 4));
  }

  /** Renders entries from the chosen excerpts; an entry with all excerpts is returned as saved. */
  #render(chosen: readonly Ranked[]): Map<string, JsonValue> {
    const byKey = byEntry(chosen);
    const places = this.#placesOf(chosen);
    const inOrder = this.#entries.toSorted((one, other) => (places.get(one.key) ?? 0) - (places.get(other.key) ?? 0));
    return new Map(
      inOrder.flatMap(({ key, value, json }): [string, JsonValue][] => {
        const ones = byKey.get(key);
        if (ones === undefined) return [];
        const shown = renderEntry(
          value,
          ones.toSorted((left, right) => left.at - right.at),
        );
        const isAll = ones.length === this.#totals.get(key);
        if (isAll && json.length <= JSON.stringify(shown).length * 1.1 + 20) return [[key, value]];
        if (isAll && !this.#rewritten.has(key)) this.#rewritten.set(key, isComplete(value, shown) ? JSON.stringify(shown) : undefined);
        return [[key, shown]];
      }),
    );
  }

  /** Returns the place of each entry: the part of its highest-ranked excerpt. */
  #placesOf(chosen: readonly Ranked[]): ReadonlyMap<string, number> {
    const places = new Map<string, number>();
    for (const { key, part } of chosen) if (!places.has(key)) places.set(key, HANDOFF_PARTS.indexOf(part));
    return places;
  }

  /** Replaces rendered entries by their saved form while the additional characters fit, the fewest first. */
  #grow(shown: Map<string, JsonValue>, names: Room): Map<string, JsonValue> {
    let grown = shown;
    let left = shrink(this.#room, this.#measure(this.#view(shown, names)));
    const waiting = this.#entries
      .filter(({ key, value }) => shown.has(key) && shown.get(key) !== value)
      .map((entry) => ({ entry, extra: entry.json.length - JSON.stringify(shown.get(entry.key)).length }))
      .sort((first, second) => first.extra - second.extra);
    for (const { entry, extra } of waiting) {
      if (extra > left.characters || extra / 6 > left.tokens) break;
      const tried = new Map(grown).set(entry.key, entry.value);
      const size = this.#measure(this.#view(tried, names));
      if (!isWithin(size, this.#room)) continue;
      grown = tried;
      left = shrink(this.#room, size);
    }
    return grown;
  }

  #view(shown: ReadonlyMap<string, JsonValue>, names: Room): ComposedView {
    const rooms = { names, report: this.#report };
    return { context: Object.fromEntries(shown), ...nameMissing(this.#incomplete(shown), rooms, this.#sizes.count) };
  }

  /** Lists incomplete entries: shortened CRITICAL ones, which look complete, then the largest loss first; rewritten ones last. */
  #incomplete(shown: ReadonlyMap<string, JsonValue>): readonly Incomplete[] {
    const found = this.#entries.flatMap(({ key, value, json, layer }): Found[] => {
      const there = shown.get(key);
      if (there === value) return [];
      const text = there === undefined ? undefined : JSON.stringify(there);
      const isOnlyRewritten = text !== undefined && text === this.#rewritten.get(key);
      // All characters count as shown only when nothing is lost.
      const size = text === undefined ? undefined : isOnlyRewritten ? json.length : Math.min(text.length, json.length - 1);
      return [{ key, characters: json.length, shown: size, isFirst: text !== undefined && layer === "CRITICAL" && !isOnlyRewritten }];
    });
    return found.sort(
      (left, right) => Number(right.isFirst) - Number(left.isFirst) || lost(right) - lost(left) || (left.key < right.key ? -1 : 1),
    );
  }

  /** Returns the room that entries and counts leave for names. */
  #roomBeside(shown: ReadonlyMap<string, JsonValue>): Room {
    return shrink(shrink(this.#room, this.#measure(this.#view(shown, NOTHING))), LONGER_CURSORS);
  }

  #measure(view: object): Room {
    return measure(JSON.stringify(view), this.#sizes.count);
  }
}

/** Room for more digits in cursors after names are added. */
const LONGER_CURSORS: Room = { tokens: 4, characters: 8 };
const NOTHING: Room = { tokens: 0, characters: 0 };

function isRequired(excerpt: Ranked): boolean {
  return excerpt.isRequired === true;
}

interface Found extends Incomplete {
  readonly isFirst: boolean;
}

function lost({ characters, shown = 0 }: Incomplete): number {
  return characters - shown;
}
