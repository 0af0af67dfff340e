import { cutText, type Layer, LAYERS } from "@workrail/core";
import type { Outcome } from "./choose-entries.ts";
import type { Entry, EntrySizes } from "./entry.ts";
import { measure, type Room, shrink, isWithin } from "./room.ts";

/** Report on the entries of a context: counts by outcome, and the entries that are not whole. */
export interface ViewReport {
  readonly kept: number;
  readonly reduced: number;
  readonly condensed: number;
  readonly dropped: number;
  /** Totals per layer with entries, when details were requested. */
  readonly layers?: { readonly [L in Layer]?: LayerTotals };
  /** Largest losses first, as many as fit. */
  readonly entries: readonly ReportedEntry[];
  /** Continues `entries`; absent when all are listed. */
  readonly nextCursor?: string;
}

export interface LayerTotals {
  readonly entries: number;
  /** Tokens of the saved values as JSON. */
  readonly tokensBefore: number;
  readonly tokensAfter: number;
}

export interface EntryName {
  /** Shortened when very long; then `keyCharacters` is its full length. */
  readonly key: string;
  readonly keyCharacters?: number;
}

export interface ReportedEntry extends EntryName {
  readonly layer: Layer;
  /** Reason for the layer and its confidence, when requested. */
  readonly confidence?: number;
  readonly why?: string;
  readonly outcome: Outcome;
  /** Tokens of the saved value as JSON. */
  readonly tokensBefore: number;
  /** Tokens of the shown value; 0 when dropped. */
  readonly tokensAfter: number;
}

/** Entries that are missing from the view. */
export interface Omissions {
  readonly count: number;
  /** The largest ones, as many as the report lists. */
  readonly entries: readonly OmittedEntry[];
  /** Continues `entries`; absent when all are listed. */
  readonly nextCursor?: string;
}

export interface OmittedEntry extends EntryName {
  /** Characters of the value as JSON. */
  readonly characters: number;
}

/** An entry and its outcome. */
export interface EntryOutcome {
  readonly entry: Entry;
  readonly outcome: Outcome;
  readonly tokensAfter: number;
  /** Characters of the value as JSON that are not shown. */
  readonly charactersLost: number;
}

export type ReportPage = { readonly report: ViewReport; readonly omitted?: Omissions };

const LONGEST_KEY_NAMED = 120;
/** Entries up to this size are rarely shortened or dropped when there are few entries. */
const LIKELY_WHOLE = 200;

/** Sorts by lost characters: a long history with a tenth left lost more than an omitted date. */
function mostMissedFirst(left: EntryOutcome, right: EntryOutcome): number {
  return right.charactersLost - left.charactersLost || (left.entry.key < right.entry.key ? -1 : 1);
}

/** Formats the report on entries within a room. */
export class Reporter {
  readonly #fates: readonly EntryOutcome[];
  readonly #named: readonly EntryOutcome[];
  readonly #sizes: EntrySizes;
  readonly #isDetailed: boolean;

  /** @param isDetailed lists every entry, including kept ones, in the given order, with the reason for its layer. */
  constructor(fates: readonly EntryOutcome[], sizes: EntrySizes, isDetailed: boolean) {
    this.#fates = fates;
    this.#sizes = sizes;
    this.#isDetailed = isDetailed;
    this.#named = isDetailed ? fates : fates.filter(({ outcome }) => outcome !== "kept").sort(mostMissedFirst);
  }

  /** True when there is anything to report. */
  get isNeeded(): boolean {
    return this.#isDetailed || this.#named.length > 0;
  }

  /** Returns the room to reserve for the report: `share`, or less when there are few entries. */
  static roomFor(
    entries: readonly Entry[],
    share: Room,
    { sizes, isDetailed }: { readonly sizes: EntrySizes; readonly isDetailed: boolean },
  ): Room {
    const options = { longest: LONGEST_KEY_NAMED, isDetailed };
    let forAll = share;
    let forLarge = share;
    for (const entry of entries) {
      // Uses the longest possible line, so that values need not be counted.
      const row = rowOf({ entry, outcome: "condensed", tokensAfter: 999_999, charactersLost: 0 }, 999_999, options);
      const size = measure(textOf(row, omittedOf(entry, LONGEST_KEY_NAMED)), sizes.count);
      forAll = shrink(forAll, size);
      if (isDetailed || entry.json.length > LIKELY_WHOLE) forLarge = shrink(forLarge, size);
      if (forAll.tokens < 0 || forAll.characters < 0) return share;
    }
    return shrink(share, forLarge);
  }

  /** Lists as many entries as fit, from `start` on. Without room, still reports counts and a cursor. */
  tell(start: number, room: Room): ReportPage {
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

  /** Lists at least one entry, shortening its key as needed, so that following the cursors ends. */
  tellOn(start: number, room: Room): ReportPage {
    const page = this.tell(start, room);
    const next = this.#named[start];
    if (page.report.entries.length > 0 || next === undefined) return page;
    let longest = LONGEST_KEY_NAMED / 2;
    let row = this.#row(next, longest, room);
    for (; longest > 1 && row === undefined; row = this.#row(next, longest, room)) longest = Math.floor(longest / 2);
    row ??= this.#row(next, 1, undefined);
    return this.#told(start, row === undefined ? [] : [row.reported], row?.omitted === undefined ? [] : [row.omitted]);
  }

  /** `undefined` when the line does not fit. */
  #row(fate: EntryOutcome, longest: number, room: Room | undefined) {
    const { entry, outcome } = fate;
    const omitted = outcome === "dropped" && !this.#isDetailed ? omittedOf(entry, longest) : undefined;
    const fits = (reported: ReportedEntry): boolean =>
      room === undefined || isWithin(measure(textOf(reported, omitted), this.#sizes.count), room);
    const options = { longest, isDetailed: this.#isDetailed };
    // Counts the value only when its line has room.
    if (!fits(rowOf(fate, 0, options))) return undefined;
    const reported = rowOf(fate, this.#sizes.count(entry.savedJson), options);
    return fits(reported) ? { reported, omitted, text: textOf(reported, omitted) } : undefined;
  }

  #told(start: number, entries: readonly ReportedEntry[], omitted: readonly OmittedEntry[]): ReportPage {
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

interface RowOptions {
  /** Most characters of a key. */
  readonly longest: number;
  readonly isDetailed: boolean;
}

function rowOf({ entry, outcome, tokensAfter }: EntryOutcome, tokensBefore: number, { longest, isDetailed }: RowOptions): ReportedEntry {
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
