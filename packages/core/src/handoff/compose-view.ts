import type { Context, JsonValue } from "../model/context.ts";
import type { CountTokens, TokenCounter } from "../ports/environment.ts";
import { inTurns, type Steps } from "../turns.ts";
import { isWholeWithin, type ViewBudget } from "../view/build-view.ts";
import { entriesOf, type Entry, EntrySizes } from "../view/entry.ts";
import { greater, isWithin, lesser, measure, part, type Room, shrink } from "../view/room.ts";
import { cutExcerpts } from "./cut-excerpts.ts";
import { type Incomplete, type MissingNames, nameMissing, nameMore } from "./name-missing.ts";
import { type RankHow, type Ranked, rankExcerpts } from "./rank-excerpts.ts";
import { HANDOFF_PARTS } from "./part.ts";
import { byEntry, countByKey, renderEntry } from "./render-view.ts";

/** The part of a context that fits, and names of the entries that are not whole. */
export interface ComposedView extends MissingNames {
  /** Entries by what they are for, the goal first, each whole or as its excerpts; all of them in their saved order where all fit. */
  readonly context: Context;
}

/** A view gets this much even under a budget that the rest of the answer has used up. */
const LEAST_ROOM: Room = { tokens: 100, characters: 400 };
/** Of the room, at most, for naming what is shortened or left out. */
const NAMES_SHARE = 1 / 6;
/**
 * Composes what somebody needs to go on with saved work, within a budget: the whole context if it fits; else the goal, the
 * user's instructions, the last turns, open work, decisions, failures, what is in play, and then the rest, each entry under
 * its own key, and names of what is shortened or left out. A larger budget gives what a smaller one gives, but for what fills
 * its last tokens, and more: all excerpts have one order, and the budget decides where it is cut.
 *
 * The budget is hard, for CRITICAL entries too: the view as JSON stays within it, but for a budget of less than some hundred
 * tokens, and never goes beyond the ceiling, unless not even counts of what is left out fit.
 *
 * @param cursor continues the report of an earlier view with the same budget; no entries are given then.
 */
export async function composeView(
  context: Context,
  how: RankHow,
  budget: ViewBudget,
  tokens: TokenCounter,
  cursor?: number,
): Promise<ComposedView> {
  const entries = await inTurns(entriesOf(context, how.classifications, undefined));
  if (cursor === undefined && (await isWholeWithin(entries, budget, tokens))) return { context };
  const count = await tokens.load();
  const ranked = await inTurns(rankExcerpts(context, how));
  const room = lesser(greater(budget.wanted, LEAST_ROOM), budget.ceiling);
  return inTurns(new Composer(entries, ranked, room, count).compose(cursor));
}

class Composer {
  readonly #entries: readonly Entry[];
  readonly #ranked: readonly Ranked[];
  readonly #room: Room;
  readonly #sizes: EntrySizes;
  readonly #totals: ReadonlyMap<string, number>;

  constructor(entries: readonly Entry[], ranked: readonly Ranked[], room: Room, count: CountTokens) {
    this.#entries = entries;
    this.#ranked = ranked;
    this.#room = room;
    this.#sizes = new EntrySizes(count);
    this.#totals = countByKey(ranked);
  }

  *compose(cursor: number | undefined): Steps<ComposedView> {
    const chosen = yield* cutExcerpts(this.#ranked, this.#room.tokens, this.#sizes.count, (tried) => this.#excessOf(tried));
    const shown = this.#render(chosen);
    if (cursor !== undefined) return { context: {}, ...nameMore(this.#incomplete(shown), cursor, this.#room, this.#sizes.count) };
    return this.#view(this.#grow(shown));
  }

  /** Tokens by which a view of these is too large; characters count for a quarter of a token. */
  #excessOf(chosen: readonly Ranked[]): number {
    const size = this.#measure(this.#view(this.#render(chosen)));
    return Math.max(size.tokens - this.#room.tokens, Math.ceil((size.characters - this.#room.characters) / 4));
  }

  /** Entries by key, as the chosen excerpts show them; an entry of which nothing is missing is given as it was saved. */
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
        return [[key, isAll && json.length <= JSON.stringify(shown).length * 1.1 + 20 ? value : shown]];
      }),
    );
  }

  /** Where an entry stands: by the part of its excerpt that matters most. */
  #placesOf(chosen: readonly Ranked[]): ReadonlyMap<string, number> {
    const places = new Map<string, number>();
    for (const { key, part } of chosen) if (!places.has(key)) places.set(key, HANDOFF_PARTS.indexOf(part));
    return places;
  }

  /** Entries that say all there is come as they were saved, where there is room for their quotes and braces. */
  #grow(shown: Map<string, JsonValue>): Map<string, JsonValue> {
    let grown = shown;
    let left = shrink(this.#room, this.#measure(this.#view(shown)));
    const waiting = this.#entries
      .filter(({ key, value }) => shown.has(key) && shown.get(key) !== value)
      .map((entry) => ({ entry, extra: entry.json.length - JSON.stringify(shown.get(entry.key)).length }))
      .sort((first, second) => first.extra - second.extra);
    for (const { entry, extra } of waiting) {
      if (extra > left.characters || extra / 6 > left.tokens) break;
      const tried = new Map(grown).set(entry.key, entry.value);
      const size = this.#measure(this.#view(tried));
      if (!isWithin(size, this.#room)) continue;
      grown = tried;
      left = shrink(this.#room, size);
    }
    return grown;
  }

  #view(shown: ReadonlyMap<string, JsonValue>): ComposedView {
    return {
      context: Object.fromEntries(shown),
      ...nameMissing(this.#incomplete(shown), part(this.#room, NAMES_SHARE), this.#sizes.count),
    };
  }

  /** Entries of which something is missing, those that miss most first. */
  #incomplete(shown: ReadonlyMap<string, JsonValue>): readonly Incomplete[] {
    const found = this.#entries.flatMap(({ key, value, json }): Incomplete[] => {
      const there = shown.get(key);
      if (there === value) return [];
      return [{ key, characters: json.length, shown: there === undefined ? undefined : JSON.stringify(there).length }];
    });
    return found.sort((left, right) => lost(right) - lost(left) || (left.key < right.key ? -1 : 1));
  }

  #measure(view: object): Room {
    return measure(JSON.stringify(view), this.#sizes.count);
  }
}

function lost({ characters, shown = 0 }: Incomplete): number {
  return characters - shown;
}
