import {
  type Classification,
  type Context,
  type CountTokens,
  encodeUtf8,
  inTurns,
  type JsonValue,
  type Layer,
  LAYERS,
  type Steps,
  type TokenCounter,
} from "@workrail/core";
import { type ChooseOptions, chooseEntries, type Chosen, type EntryRooms, sumWithin, totalOf } from "./choose-entries.ts";
import { entriesOf, type Entry, EntrySizes } from "./entry.ts";
import { type EntryName, type EntryOutcome, nameOf, type Omissions, Reporter, type ViewReport } from "./report.ts";
import { fits, greater, isWithin, lesser, measure, part, type Room, shrink, sum } from "./room.ts";

/** Part of a context that fits, with a report on the rest. */
export interface View {
  /** Entries in saved order, unless another one was requested. */
  readonly context: Context;
  /** Absent when the whole context is present. */
  readonly report?: ViewReport;
  /** Absent when nothing was omitted. */
  readonly omitted?: Omissions;
  /** Tokens by which CRITICAL entries exceed the budget. */
  readonly budgetExceededBy?: number;
  /** Largest CRITICAL entry, when CRITICAL entries exceed the budget: it takes room from the others. */
  readonly largestCritical?: LargestCritical;
}

export interface LargestCritical extends EntryName {
  /** Tokens of the value as JSON. */
  readonly tokens: number;
}

export interface ViewBudget {
  /** Requested size: CRITICAL entries may exceed it. */
  readonly wanted: Room;
  /** Hard limit of every answer. */
  readonly ceiling: Room;
  /** Scope of `wanted`. Default `view`: includes the report. */
  readonly of?: "view" | "context" | undefined;
  /** Largest room for names and counts of incomplete entries in a composed view. Default: a fifth of `wanted`. */
  readonly names?: Room | undefined;
}

export interface ViewOptions extends ChooseOptions {
  /** By key. An entry without a classification counts as USEFUL. */
  readonly classifications: ReadonlyMap<string, Classification>;
  /** Applied to every value first, regardless of room, except CRITICAL entries. */
  readonly reduce?: ((value: JsonValue) => Steps<JsonValue>) | undefined;
  /** Only entries of these layers; others are dropped. Default: all. */
  readonly layers?: readonly Layer[] | undefined;
  /** Default `saved`. */
  readonly order?: "saved" | "layer" | undefined;
  /** Report every entry, including kept ones, with the reason for its layer. */
  readonly isDetailed?: boolean | undefined;
}

/** More tokens than any context has. */
const MOST_TOKENS = 999_999_999;
const NOTHING: Room = { tokens: 0, characters: 0 };
/** Share of the room for the report. */
const REPORT_SHARE = 1 / 5;
/** A view with more than 1/20 of unused room is built again. */
const MUCH_SPARE = 20;
/** Possible growth of a line in the report. */
const ONE_LINE: Room = { tokens: 2, characters: 8 };
/** The report gets a share of at least this, even when the rest of the answer used up the budget. */
const LEAST_BUDGET: Room = { tokens: 250, characters: 1_000 };
/** With a budget for the context alone, the report gets a share of this, or of the budget if that is larger. */
const LEAST_BESIDE_CONTEXT: Room = { tokens: 2_500, characters: 10_000 };

interface BuildOptions extends ViewOptions {
  readonly budget: ViewBudget;
  /** Continues the report of an earlier view with the same budget, without entries. */
  readonly cursor?: number | undefined;
}

/**
 * Builds the most useful view of a context that fits: the whole context if possible. Otherwise CRITICAL entries stay whole,
 * others stay whole or are shortened or dropped by layer, and the report lists what is not whole.
 *
 * The view as JSON stays within the ceiling. Exception: a ceiling too low even to report an omission (some three hundred
 * characters) is exceeded by that report.
 */
export async function buildView(context: Context, options: BuildOptions, tokens: TokenCounter): Promise<View> {
  const { budget, cursor } = options;
  const entries = await inTurns(entriesOf(context, options.classifications, options.reduce));
  // Checked first, because it often needs no token count.
  if (cursor === undefined && mayBeWhole(options) && (await isWholeWithin(entries, budget, tokens))) return { context };
  return inTurns(new ViewBuilder(entries, options, new EntrySizes(await countLargeFirst(entries, tokens))).build(cursor));
}

/** Counts long texts in advance, in turns: later they could only be counted in one go. */
async function countLargeFirst(entries: readonly Entry[], tokens: TokenCounter): Promise<CountTokens> {
  const count = await tokens.load();
  const counted = new Map<string, number>();
  for (const { savedJson } of entries) if (savedJson.length > LONG_TEXT) counted.set(savedJson, await tokens.count(savedJson));
  return (text) => (text.length > LONG_TEXT ? counted.get(text) : undefined) ?? count(text);
}

const LONG_TEXT = 65_536;

function mayBeWhole({ reduce, layers, caps, order, isDetailed }: ViewOptions): boolean {
  return reduce === undefined && layers === undefined && caps === undefined && order !== "layer" && isDetailed !== true;
}

/** True when all entries fit, with nothing to report. */
export async function isWholeWithin(
  entries: readonly Entry[],
  { wanted, ceiling, of }: ViewBudget,
  tokens: TokenCounter,
): Promise<boolean> {
  const room = lesser(wanted, ceiling);
  if (entries.reduce((sum, { key, json }) => sum + key.length + json.length + 4, 0) > room.characters) return false;
  const text = `{${entries.map(({ key, json }) => `${JSON.stringify(key)}:${json}`).join(",")}}`;
  const inView = `{"context":${text}}`;
  return (await fits(of === "context" ? text : inView, wanted, tokens)) && fits(inView, ceiling, tokens);
}

/** View, with its excess over the budget. */
interface Composed {
  readonly view: View;
  readonly chosen: readonly Chosen[];
  readonly overCeiling: boolean;
  /** Tokens over the budget; 0 or less when within it. */
  readonly overWanted: number;
}

function isFitting({ overCeiling, overWanted }: Composed): boolean {
  return !overCeiling && overWanted <= 0;
}

interface Rooms extends EntryRooms {
  /** Reserved for the report. */
  readonly report: Room;
  /** Limit of the report. */
  readonly reportShare: Room;
  /** Room of a page that contains only the report. */
  readonly reportPage: Room;
}

class ViewBuilder {
  readonly #entries: readonly Entry[];
  readonly #options: ViewOptions;
  readonly #budget: ViewBudget;
  readonly #sizes: EntrySizes;

  constructor(entries: readonly Entry[], { budget, ...options }: BuildOptions, sizes: EntrySizes) {
    this.#entries = entries;
    this.#options = options;
    this.#budget = budget;
    this.#sizes = sizes;
  }

  *build(cursor: number | undefined): Steps<View> {
    const rooms = this.#divide();
    const { view, chosen } = yield* this.#compose(rooms);
    return cursor === undefined ? view : { context: {}, ...this.#reporter(chosen).tellOn(cursor, rooms.reportPage) };
  }

  /** Divides the budget: first the frame around entries and report, then the report's share. */
  #divide(): Rooms {
    const { wanted, ceiling, of } = this.#budget;
    const count = this.#entries.length;
    const named = { entries: [], nextCursor: String(count) };
    const totals = { entries: count, tokensBefore: MOST_TOKENS, tokensAfter: MOST_TOKENS };
    const layers = this.#options.isDetailed === true ? { layers: Object.fromEntries(LAYERS.map((layer) => [layer, totals])) } : {};
    const report = { kept: count, reduced: count, condensed: count, dropped: count, ...layers, ...named };
    const exceeded = { budgetExceededBy: MOST_TOKENS, ...this.#longestOfCritical(lesser(wanted, ceiling)) };
    const emptiest: View = { context: {}, report, omitted: { count, ...named }, ...exceeded };
    const frame = this.#measure(emptiest);
    const inside = shrink(ceiling, frame);
    const wantedInside = shrink(lesser(wanted, ceiling), of === "context" ? this.#measure({}) : frame);
    const reportPage = lesser(greater(wantedInside, of === "context" ? LEAST_BESIDE_CONTEXT : LEAST_BUDGET), inside);
    const isDetailed = this.#options.isDetailed === true;
    const reportShare = part(reportPage, REPORT_SHARE);
    const forReport = Reporter.roomFor(this.#entries, reportShare, { sizes: this.#sizes, isDetailed });
    const ceilingEntries = shrink(inside, forReport);
    const wantedEntries = of === "context" ? lesser(wantedInside, ceilingEntries) : shrink(wantedInside, forReport);
    return { wanted: wantedEntries, ceiling: ceilingEntries, report: forReport, reportShare, reportPage };
  }

  /** Builds the view again when the report left much of its reserve unused. */
  *#compose(rooms: Rooms): Steps<Composed> {
    const { layers } = this.#options;
    const candidates = layers === undefined ? this.#entries : this.#entries.filter(({ layer }) => layers.includes(layer));
    const first = yield* this.#composeWithin(candidates, rooms);
    const more = this.#withSpare(rooms, first);
    if (more === undefined) return first;
    const second = yield* this.#attempt(candidates, more, more);
    return isFitting(second) ? second : first;
  }

  /**
   * Builds a view and checks its real size. The sizes of parts usually add up to slightly more than the whole, but a tokenizer may
   * have exceptions; then tries again with less room.
   */
  *#composeWithin(candidates: readonly Entry[], rooms: Rooms): Steps<Composed> {
    let { wanted, ceiling } = rooms;
    for (let excess = 1; ; excess *= 2) {
      const composed = yield* this.#attempt(candidates, rooms, { wanted, ceiling });
      const { chosen, overCeiling, overWanted } = composed;
      if (chosen.length === 0 || isFitting(composed)) return composed;
      const isCritical = chosen.every(({ entry }) => entry.layer === "CRITICAL");
      const hasCritical = isCritical || chosen.some(({ entry }) => entry.layer === "CRITICAL");
      const isCriticalsFault = hasCritical && (isCritical || !isWithin(this.#criticalOf(chosen), rooms.wanted));
      if (!overCeiling && isCriticalsFault) return { ...composed, view: this.#exceeding(composed) };
      const by = { tokens: excess + Math.max(0, overWanted), characters: excess * 4 };
      wanted = shrink(wanted, by);
      if (overCeiling) ceiling = shrink(lesser(ceiling, totalOf(chosen)), by);
    }
  }

  *#attempt(candidates: readonly Entry[], rooms: Rooms, { wanted, ceiling }: EntryRooms): Steps<Composed> {
    const chosen = yield* chooseEntries(candidates, { wanted, ceiling }, { ...this.#options, sizes: this.#sizes });
    const view = this.#view(chosen, this.#roomToTell(rooms, wanted, chosen));
    return { view, chosen, ...this.#excessOf(view) };
  }

  /** Returns the longest possible report on the largest CRITICAL entry; empty when CRITICAL entries fit. */
  #longestOfCritical(room: Room): Pick<View, "largestCritical"> {
    const critical = this.#entries.filter(({ layer }) => layer === "CRITICAL");
    if (sumWithin(critical, room, this.#sizes) !== undefined) return {};
    let longest = "";
    let most = 0;
    for (const { key } of critical) {
      // Length as JSON, in which a character may take six.
      const { length } = JSON.stringify(nameOf(key));
      if (length > most) [longest, most] = [key, length];
    }
    return { largestCritical: { ...nameOf(longest), tokens: MOST_TOKENS } };
  }

  #exceeding({ view, chosen, overWanted }: Composed): View {
    const critical = chosen.filter(({ entry }) => entry.layer === "CRITICAL");
    const [largest] = critical.sort((left, right) => right.tokens - left.tokens);
    const named = largest === undefined ? {} : { largestCritical: { ...nameOf(largest.entry.key), tokens: largest.tokens } };
    const naming = { ...view, ...named };
    const told = { ...naming, budgetExceededBy: this.#excessOf(naming).overWanted };
    // Room was reserved for the longest name, but a shorter one may have more tokens.
    return this.#excessOf(told).overCeiling ? { ...view, budgetExceededBy: overWanted } : told;
  }

  /** Returns the rooms including unused space of a view; `undefined` when that is small, or no entry needs it. */
  #withSpare(rooms: Rooms, { view, chosen }: Composed): Rooms | undefined {
    const { wanted, ceiling, of } = this.#budget;
    const { report, omitted } = view;
    if (of === "context" || report === undefined || report.condensed + report.dropped === 0) return undefined;
    const size = this.#measure(view);
    const most = lesser(wanted, ceiling);
    if ((most.tokens - size.tokens) * MUCH_SPARE < most.tokens) return undefined;
    // Lines of the report may change.
    const told = sum(this.#measure([report.entries, omitted?.entries ?? []]), part(ONE_LINE, report.entries.length + 1));
    const taken = shrink(sum(size, part(ONE_LINE, report.entries.length + 1)), totalOf(chosen));
    return { ...rooms, wanted: shrink(most, taken), ceiling: shrink(ceiling, taken), report: lesser(told, rooms.reportShare) };
  }

  /** Returns the room of the report: unused space of the entries, within its share. */
  #roomToTell(rooms: Rooms, wanted: Room, chosen: readonly Chosen[]): Room {
    const left = this.#budget.of === "context" ? rooms.reportShare : shrink(wanted, totalOf(chosen));
    const spare = lesser(greater(left, NOTHING), shrink(rooms.ceiling, totalOf(chosen)));
    return greater(rooms.report, lesser(rooms.reportShare, sum(rooms.report, spare)));
  }

  #criticalOf(chosen: readonly Chosen[]): Room {
    return totalOf(chosen.filter(({ entry }) => entry.layer === "CRITICAL"));
  }

  /** Returns whether a view exceeds the ceiling, and its tokens over the budget; 1 when only characters exceed it. */
  #excessOf(view: View): { overCeiling: boolean; overWanted: number } {
    const { wanted, ceiling, of } = this.#budget;
    const text = JSON.stringify(view);
    const isContext = of === "context";
    // If only the ceiling matters, few bytes are proof enough: a token has at least one byte.
    const size =
      isContext && text.length <= ceiling.characters && encodeUtf8(text).length <= ceiling.tokens
        ? NOTHING
        : measure(text, this.#sizes.count);
    const counted = isContext ? this.#measure(view.context) : size;
    const most = lesser(wanted, ceiling);
    const overWanted = counted.tokens - most.tokens;
    return { overCeiling: !isWithin(size, ceiling), overWanted: overWanted > 0 || counted.characters <= most.characters ? overWanted : 1 };
  }

  #view(chosen: readonly Chosen[], room: Room): View {
    const byKey = new Map(chosen.map((each) => [each.entry, each]));
    const inOrder = this.#inOrder().flatMap((entry) => byKey.get(entry) ?? []);
    const context = Object.fromEntries(inOrder.map(({ entry, value }) => [entry.key, value]));
    const reporter = this.#reporter(chosen);
    return reporter.isNeeded ? { context, ...reporter.tell(0, room) } : { context };
  }

  #reporter(chosen: readonly Chosen[]): Reporter {
    const byEntry = new Map(chosen.map((each) => [each.entry, each]));
    const fates = this.#inOrder().map((entry): EntryOutcome => {
      const { outcome, tokens, characters } = byEntry.get(entry) ?? { outcome: "dropped", tokens: 0, characters: 0 };
      return { entry, outcome, tokensAfter: tokens, charactersLost: entry.savedJson.length - characters };
    });
    return new Reporter(fates, this.#sizes, this.#options.isDetailed === true);
  }

  #inOrder(): readonly Entry[] {
    if (this.#options.order !== "layer") return this.#entries;
    return LAYERS.flatMap((layer) => this.#entries.filter((entry) => entry.layer === layer));
  }

  #measure(part: object): Room {
    return measure(JSON.stringify(part), this.#sizes.count);
  }
}
