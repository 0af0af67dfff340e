import { type Layer, LAYERS } from "../model/layer.ts";
import { cutText } from "./cut-text.ts";
import type { Outcome } from "./choose-entries.ts";
import type { Entry, EntrySizes } from "./entry.ts";
import { measure, type Room, shrink, isWithin } from "./room.ts";

/** What became of the entries of a context: how many had which outcome, and which those are that are not whole. */
export interface ViewReport {
  readonly kept: number;
  readonly reduced: number;
  readonly condensed: number;
  readonly dropped: number;
  /** Of each layer that has entries, where details were asked for. */
  readonly layers?: { readonly [L in Layer]?: LayerTotals };
  /** What most is missing of first, as many as fit. */
  readonly entries: readonly ReportedEntry[];
  /** Continues `entries`; absent when all are named. */
  readonly nextCursor?: string;
}

export interface LayerTotals {
  readonly entries: number;
  /** Of the saved values as JSON. */
  readonly tokensBefore: number;
  readonly tokensAfter: number;
}

export interface EntryName {
  /** Shortened when it is very long; then `keyCharacters` tells its length. */
  readonly key: string;
  readonly keyCharacters?: number;
}

export interface ReportedEntry extends EntryName {
  readonly layer: Layer;
  /** What the layer was decided by, and how surely, where that was asked for. */
  readonly confidence?: number;
  readonly why?: string;
  readonly outcome: Outcome;
  /** Of the saved value as JSON. */
  readonly tokensBefore: number;
  /** Of what the view has of it. 0 when it was dropped. */
  readonly tokensAfter: number;
}

/** What is not in the view at all. */
export interface Omissions {
  readonly count: number;
  /** The largest, as many as the report names. */
  readonly entries: readonly OmittedEntry[];
  /** Continues `entries`; absent when all are named. */
  readonly nextCursor?: string;
}

export interface OmittedEntry extends EntryName {
  /** Characters of the value as JSON. */
  readonly characters: number;
}

/** One entry and what became of it. */
export interface Fate {
  readonly entry: Entry;
  readonly outcome: Outcome;
  readonly tokensAfter: number;
  /** Of the value as JSON. */
  readonly charactersLost: number;
}

export type Told = { readonly report: ViewReport; readonly omitted?: Omissions };

const LONGEST_KEY_NAMED = 120;
/** Characters of an entry that is hardly ever shortened or dropped, where entries are few. */
const LIKELY_WHOLE = 200;

/** However much of it is left: of a long history of which a tenth is there, more is missing than of a date that is not. */
function mostMissedFirst(left: Fate, right: Fate): number {
  return right.charactersLost - left.charactersLost || (left.entry.key < right.entry.key ? -1 : 1);
}

/** Tells of entries, and of how they are told. */
export class Reporter {
  readonly #fates: readonly Fate[];
  readonly #named: readonly Fate[];
  readonly #sizes: EntrySizes;
  readonly #isDetailed: boolean;

  /** @param isDetailed every entry is named, kept ones too, in the order given, with the reason for its layer. */
  constructor(fates: readonly Fate[], sizes: EntrySizes, isDetailed: boolean) {
    this.#fates = fates;
    this.#sizes = sizes;
    this.#isDetailed = isDetailed;
    this.#named = isDetailed ? fates : fates.filter(({ outcome }) => outcome !== "kept").sort(mostMissedFirst);
  }

  /** Whether there is anything to tell. */
  get isNeeded(): boolean {
    return this.#isDetailed || this.#named.length > 0;
  }

  /** What to keep free for the report: `share`, or less where the entries are few. */
  static roomFor(entries: readonly Entry[], share: Room, sizes: EntrySizes, isDetailed: boolean): Room {
    let forAll = share;
    let forLarge = share;
    for (const entry of entries) {
      // The longest that its line can get; values are not counted for this.
      const row = rowOf({ entry, outcome: "condensed", tokensAfter: 999_999, charactersLost: 0 }, 999_999, LONGEST_KEY_NAMED, isDetailed);
      const size = measure(textOf(row, omittedOf(entry, LONGEST_KEY_NAMED)), sizes.count);
      forAll = shrink(forAll, size);
      if (isDetailed || entry.json.length > LIKELY_WHOLE) forLarge = shrink(forLarge, size);
      if (forAll.tokens < 0 || forAll.characters < 0) return share;
    }
    return shrink(share, forLarge);
  }

  /** As many names as fit, from the one at `start` on. Even where there is room for none, counts and a cursor are told. */
  tell(start: number, room: Room): Told {
    const rows: ReportedEntry[] = [];
    const omitted: OmittedEntry[] = [];
    let left = room;
    for (const fate of this.#named.slice(start)) {
      const row = this.#row(fate, LONGEST_KEY_NAMED, left);
      if (row === undefined) break;
      left = shrink(left, measure(row.text, this.#sizes.count));
      rows.push(row.reported);
      if (row.omitted !== undefined) omitted.push(row.omitted);
    }
    return this.#told(start, rows, omitted);
  }

  /** Names at least one, with less and less of its key, so that whoever follows the cursors arrives. */
  tellOn(start: number, room: Room): Told {
    const page = this.tell(start, room);
    const next = this.#named[start];
    if (page.report.entries.length > 0 || next === undefined) return page;
    let longest = LONGEST_KEY_NAMED / 2;
    let row = this.#row(next, longest, room);
    for (; longest > 1 && row === undefined; row = this.#row(next, longest, room)) longest = Math.floor(longest / 2);
    row ??= this.#row(next, 1, undefined);
    return this.#told(start, row === undefined ? [] : [row.reported], row?.omitted === undefined ? [] : [row.omitted]);
  }

  /** `undefined` when it does not fit. */
  #row(fate: Fate, longest: number, room: Room | undefined) {
    const { entry, outcome } = fate;
    const omitted = outcome === "dropped" && !this.#isDetailed ? omittedOf(entry, longest) : undefined;
    const fits = (reported: ReportedEntry): boolean =>
      room === undefined || isWithin(measure(textOf(reported, omitted), this.#sizes.count), room);
    // Values are only counted for a line that has room.
    if (!fits(rowOf(fate, 0, longest, this.#isDetailed))) return undefined;
    const reported = rowOf(fate, this.#sizes.count(entry.savedJson), longest, this.#isDetailed);
    return fits(reported) ? { reported, omitted, text: textOf(reported, omitted) } : undefined;
  }

  #told(start: number, entries: readonly ReportedEntry[], omitted: readonly OmittedEntry[]): Told {
    const count = (outcome: Outcome): number => this.#fates.filter((fate) => fate.outcome === outcome).length;
    const dropped = count("dropped");
    const next = start + entries.length;
    const cursor = (isMore: boolean): { nextCursor?: string } => (isMore ? { nextCursor: String(next) } : {});
    const counts = { kept: count("kept"), reduced: count("reduced"), condensed: count("condensed"), dropped };
    const report = { ...counts, ...(this.#isDetailed ? { layers: this.#layers() } : {}), entries, ...cursor(next < this.#named.length) };
    if (dropped === 0 || this.#isDetailed) return { report };
    const isMoreOmitted = this.#named.some(({ outcome }, place) => place >= next && outcome === "dropped");
    return { report, omitted: { count: dropped, entries: omitted, ...cursor(isMoreOmitted) } };
  }

  #layers(): { readonly [L in Layer]?: LayerTotals } {
    const totals = new Map<Layer, LayerTotals>();
    for (const { entry, tokensAfter } of this.#fates) {
      const sum = totals.get(entry.layer) ?? NO_TOTALS;
      const tokensBefore = sum.tokensBefore + this.#sizes.count(entry.savedJson);
      totals.set(entry.layer, { entries: sum.entries + 1, tokensBefore, tokensAfter: sum.tokensAfter + tokensAfter });
    }
    return Object.fromEntries(LAYERS.flatMap((layer) => (totals.has(layer) ? [[layer, totals.get(layer)]] : [])));
  }
}

const NO_TOTALS: LayerTotals = { entries: 0, tokensBefore: 0, tokensAfter: 0 };

function rowOf({ entry, outcome, tokensAfter }: Fate, tokensBefore: number, longest: number, isDetailed: boolean): ReportedEntry {
  const { layer, confidence, why } = entry;
  const reason = isDetailed ? { confidence: Math.round(confidence * 100) / 100, why: cutText(why, LONGEST_KEY_NAMED) } : {};
  return { ...nameOf(entry.key, longest), layer, ...reason, outcome, tokensBefore, tokensAfter };
}

function omittedOf({ key, savedJson }: Entry, longest: number): OmittedEntry {
  return { ...nameOf(key, longest), characters: savedJson.length };
}

export function nameOf(key: string, longest: number = LONGEST_KEY_NAMED): EntryName {
  return key.length <= longest ? { key } : { key: `${cutText(key, longest)}...`, keyCharacters: key.length };
}

function textOf(reported: ReportedEntry, omitted: OmittedEntry | undefined): string {
  return `${JSON.stringify(reported)},${omitted === undefined ? "" : `${JSON.stringify(omitted)},`}`;
}
