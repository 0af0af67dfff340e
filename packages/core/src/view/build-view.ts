import type { Classification } from "../classify/classification.ts";
import type { Context, JsonValue } from "../model/context.ts";
import { type Layer, LAYERS } from "../model/layer.ts";
import { encodeUtf8 } from "../platform.ts";
import type { CountTokens, TokenCounter } from "../ports/environment.ts";
import { inTurns, type Steps } from "../turns.ts";
import { type ChooseHow, chooseEntries, type Chosen, type EntryRooms, sumWithin, totalOf } from "./choose-entries.ts";
import { entriesOf, type Entry, EntrySizes } from "./entry.ts";
import { type EntryName, type Fate, nameOf, type Omissions, Reporter, type ViewReport } from "./report.ts";
import { fits, greater, isWithin, lesser, measure, part, type Room, shrink, sum } from "./room.ts";

/** The part of a context that fits, and what became of the rest. */
export interface View {
  /** Entries in their saved order, unless another one was asked for. */
  readonly context: Context;
  /** Absent when the whole context is there. */
  readonly report?: ViewReport;
  /** Absent when nothing was left out. */
  readonly omitted?: Omissions;
  /** Tokens by which CRITICAL entries went over the budget. */
  readonly budgetExceededBy?: number;
  /** The one that took most of it, where they did: the others would have had its room. */
  readonly largestCritical?: LargestCritical;
}

export interface LargestCritical extends EntryName {
  /** Of the value as JSON. */
  readonly tokens: number;
}

export interface ViewBudget {
  /** What the caller asked for: soft for CRITICAL entries. */
  readonly wanted: Room;
  /** What no answer goes beyond. */
  readonly ceiling: Room;
  /** What `wanted` holds for. Default `view`: report and all. */
  readonly of?: "view" | "context" | undefined;
}

export interface ViewHow extends ChooseHow {
  /** By key. An entry that is missing here counts as USEFUL. */
  readonly classifications: ReadonlyMap<string, Classification>;
  /** Done to every value first, whether there is room or not; CRITICAL entries are spared. */
  readonly reduce?: ((value: JsonValue) => Steps<JsonValue>) | undefined;
  /** Only entries of these, whatever the room; the others are dropped. Default: all. */
  readonly layers?: readonly Layer[] | undefined;
  /** Default `saved`. */
  readonly order?: "saved" | "layer" | undefined;
  /** The report has every entry, kept ones too, with the reason for its layer. */
  readonly isDetailed?: boolean | undefined;
}

/** More than any context has. */
const MOST_TOKENS = 999_999_999;
const NOTHING: Room = { tokens: 0, characters: 0 };
/** Of the room, for the report. */
const REPORT_SHARE = 1 / 5;
/** A view is made once more where it left more than one part in so many. */
const MUCH_SPARE = 20;
/** What a line of a report may grow by. */
const ONE_LINE: Room = { tokens: 2, characters: 8 };
/** The report gets a part of this even under a budget that the rest of the answer has used up. */
const LEAST_BUDGET: Room = { tokens: 250, characters: 1_000 };
/** Beside a budget for the context alone, the report gets a part of this, or of the budget where that is larger. */
const LEAST_BESIDE_CONTEXT: Room = { tokens: 2_500, characters: 10_000 };

/**
 * Makes the most useful view of a context that fits: whole if the whole fits; else CRITICAL entries whole, the others
 * whole, shortened or dropped by their layers, and what became of each that is not whole.
 *
 * The view as JSON stays within the ceiling. The one exception is a ceiling too low to say even that something is left
 * out (some three hundred characters): that is said all the same.
 *
 * @param cursor continues the report of an earlier view with the same budget; no entries are given then.
 */
export async function buildView(context: Context, how: ViewHow, budget: ViewBudget, tokens: TokenCounter, cursor?: number): Promise<View> {
  const entries = await inTurns(entriesOf(context, how.classifications, how.reduce));
  // First of all, because it often needs no tokens counted.
  if (cursor === undefined && mayBeWhole(how) && (await isWholeWithin(entries, budget, tokens))) return { context };
  return inTurns(new ViewBuilder(entries, how, budget, new EntrySizes(await countLargeFirst(entries, tokens))).build(cursor));
}

/** Long texts would be counted in one go when they come up; by turns they can only be counted before. */
async function countLargeFirst(entries: readonly Entry[], tokens: TokenCounter): Promise<CountTokens> {
  const count = await tokens.load();
  const counted = new Map<string, number>();
  for (const { savedJson } of entries) if (savedJson.length > LONG_TEXT) counted.set(savedJson, await tokens.count(savedJson));
  return (text) => (text.length > LONG_TEXT ? counted.get(text) : undefined) ?? count(text);
}

const LONG_TEXT = 65_536;

function mayBeWhole({ reduce, layers, caps, order, isDetailed }: ViewHow): boolean {
  return reduce === undefined && layers === undefined && caps === undefined && order !== "layer" && isDetailed !== true;
}

/** Whether all entries fit, with nothing to report. */
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

/** A view, and how it stands to the budget. */
interface Composed {
  readonly view: View;
  readonly chosen: readonly Chosen[];
  readonly overCeiling: boolean;
  /** Tokens; 0 or less where it is within. */
  readonly overWanted: number;
}

function isFitting({ overCeiling, overWanted }: Composed): boolean {
  return !overCeiling && overWanted <= 0;
}

interface Rooms extends EntryRooms {
  /** Kept free for the report. */
  readonly report: Room;
  /** The most that it may take. */
  readonly reportShare: Room;
  /** For a page that is nothing but report. */
  readonly reportPage: Room;
}

class ViewBuilder {
  readonly #entries: readonly Entry[];
  readonly #how: ViewHow;
  readonly #budget: ViewBudget;
  readonly #sizes: EntrySizes;

  constructor(entries: readonly Entry[], how: ViewHow, budget: ViewBudget, sizes: EntrySizes) {
    this.#entries = entries;
    this.#how = how;
    this.#budget = budget;
    this.#sizes = sizes;
  }

  *build(cursor: number | undefined): Steps<View> {
    const rooms = this.#divide();
    const { view, chosen } = yield* this.#compose(rooms);
    return cursor === undefined ? view : { context: {}, ...this.#reporter(chosen).tellOn(cursor, rooms.reportPage) };
  }

  /** What is written around the entries and around their report comes off first; then the report gets its share. */
  #divide(): Rooms {
    const { wanted, ceiling, of } = this.#budget;
    const count = this.#entries.length;
    const named = { entries: [], nextCursor: String(count) };
    const totals = { entries: count, tokensBefore: MOST_TOKENS, tokensAfter: MOST_TOKENS };
    const layers = this.#how.isDetailed === true ? { layers: Object.fromEntries(LAYERS.map((layer) => [layer, totals])) } : {};
    const report = { kept: count, reduced: count, condensed: count, dropped: count, ...layers, ...named };
    const exceeded = { budgetExceededBy: MOST_TOKENS, ...this.#longestOfCritical(lesser(wanted, ceiling)) };
    const emptiest: View = { context: {}, report, omitted: { count, ...named }, ...exceeded };
    const frame = this.#measure(emptiest);
    const inside = shrink(ceiling, frame);
    const wantedInside = shrink(lesser(wanted, ceiling), of === "context" ? this.#measure({}) : frame);
    const reportPage = lesser(greater(wantedInside, of === "context" ? LEAST_BESIDE_CONTEXT : LEAST_BUDGET), inside);
    const isDetailed = this.#how.isDetailed === true;
    const reportShare = part(reportPage, REPORT_SHARE);
    const forReport = Reporter.roomFor(this.#entries, reportShare, this.#sizes, isDetailed);
    const ceilingEntries = shrink(inside, forReport);
    const wantedEntries = of === "context" ? lesser(wantedInside, ceilingEntries) : shrink(wantedInside, forReport);
    return { wanted: wantedEntries, ceiling: ceilingEntries, report: forReport, reportShare, reportPage };
  }

  /** Once more where the report left much of what was kept free for it. */
  *#compose(rooms: Rooms): Steps<Composed> {
    const { layers } = this.#how;
    const candidates = layers === undefined ? this.#entries : this.#entries.filter(({ layer }) => layers.includes(layer));
    const first = yield* this.#composeWithin(candidates, rooms);
    const more = this.#withSpare(rooms, first);
    if (more === undefined) return first;
    const second = yield* this.#attempt(candidates, more, more);
    return isFitting(second) ? second : first;
  }

  /** Sizes of pieces add up to a little more than the whole, as a rule; a tokenizer may have exceptions. So the whole decides. */
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
    const chosen = yield* chooseEntries(candidates, { wanted, ceiling }, this.#how, this.#sizes);
    const view = this.#view(chosen, this.#roomToTell(rooms, wanted, chosen));
    return { view, chosen, ...this.#excessOf(view) };
  }

  /** The longest that can be said of the largest CRITICAL entry. Nothing where they are within the room. */
  #longestOfCritical(room: Room): Pick<View, "largestCritical"> {
    const critical = this.#entries.filter(({ layer }) => layer === "CRITICAL");
    if (sumWithin(critical, room, this.#sizes) !== undefined) return {};
    let longest = "";
    let most = 0;
    for (const { key } of critical) {
      // As JSON: there a character may be six.
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
    // Room was kept free for the name, but one may have more tokens than a longer one.
    return this.#excessOf(told).overCeiling ? { ...view, budgetExceededBy: overWanted } : told;
  }

  /** The rooms with what a view left of them; `undefined` where that is little, or nobody has use for it. */
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

  /** What the entries leave is the report's, within its share. */
  #roomToTell(rooms: Rooms, wanted: Room, chosen: readonly Chosen[]): Room {
    const left = this.#budget.of === "context" ? rooms.reportShare : shrink(wanted, totalOf(chosen));
    const spare = lesser(greater(left, NOTHING), shrink(rooms.ceiling, totalOf(chosen)));
    return greater(rooms.report, lesser(rooms.reportShare, sum(rooms.report, spare)));
  }

  #criticalOf(chosen: readonly Chosen[]): Room {
    return totalOf(chosen.filter(({ entry }) => entry.layer === "CRITICAL"));
  }

  /** Whether a view is beyond the ceiling, and by how many tokens beyond what was wanted; 1 where characters are. */
  #excessOf(view: View): { overCeiling: boolean; overWanted: number } {
    const { wanted, ceiling, of } = this.#budget;
    const text = JSON.stringify(view);
    const isContext = of === "context";
    // Where only the ceiling is asked for, few enough bytes are proof: a token is at least one.
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
    const fates = this.#inOrder().map((entry): Fate => {
      const { outcome, tokens, characters } = byEntry.get(entry) ?? { outcome: "dropped", tokens: 0, characters: 0 };
      return { entry, outcome, tokensAfter: tokens, charactersLost: entry.savedJson.length - characters };
    });
    return new Reporter(fates, this.#sizes, this.#how.isDetailed === true);
  }

  #inOrder(): readonly Entry[] {
    if (this.#how.order !== "layer") return this.#entries;
    return LAYERS.flatMap((layer) => this.#entries.filter((entry) => entry.layer === layer));
  }

  #measure(part: object): Room {
    return measure(JSON.stringify(part), this.#sizes.count);
  }
}
