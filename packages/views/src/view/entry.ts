import { type Classification, type Context, type CountTokens, type JsonValue, type Layer, type Steps, UNCLASSIFIED } from "@workrail/core";
import { isWithin, type Room } from "./room.ts";
import { surelyExceeds } from "./surely-exceeds.ts";

/** Entry of a context to be put into a view. */
export interface Entry {
  readonly key: string;
  /** Value to show: the saved or the reduced one. */
  readonly value: JsonValue;
  /** `value` as JSON. */
  readonly json: string;
  readonly isReduced: boolean;
  /** Saved value as JSON. */
  readonly savedJson: string;
  readonly layer: Layer;
  /** Confidence in the layer, from 0 to 1. */
  readonly confidence: number;
  readonly why: string;
}

/** Makes the entries of a view. @param reduce is applied to all values except those of CRITICAL entries. */
export function* entriesOf(
  context: Context,
  classifications: ReadonlyMap<string, Classification>,
  reduce: ((value: JsonValue) => Steps<JsonValue>) | undefined,
): Steps<Entry[]> {
  const entries: Entry[] = [];
  for (const [key, value] of Object.entries(context)) {
    const savedJson = JSON.stringify(value);
    const classification = classifications.get(key) ?? UNCLASSIFIED;
    const whole = { key, value, json: savedJson, isReduced: false, savedJson, ...classification };
    const isSpared = reduce === undefined || classification.layer === "CRITICAL";
    const reduced = isSpared ? value : yield* reduce(value);
    const json = isSpared ? savedJson : JSON.stringify(reduced);
    entries.push(json.length < savedJson.length ? { ...whole, value: reduced, json, isReduced: true } : whole);
    yield;
  }
  return entries;
}

/** Sorts by length, then by key, so that the order is deterministic. */
export function byLength(left: Entry, right: Entry): number {
  return left.json.length - right.json.length || (left.key < right.key ? -1 : 1);
}

/** Sizes of entries within a context, including keys and commas. Each value is counted at most once, and only when needed. */
export class EntrySizes {
  readonly count: CountTokens;
  readonly #tokens = new Map<Entry, number>();

  constructor(count: CountTokens) {
    this.count = count;
  }

  of(entry: Entry): Room {
    const around = this.around(entry);
    return { tokens: around.tokens + this.tokensOf(entry), characters: around.characters + entry.json.length };
  }

  /** Size of key, colon and comma. */
  around({ key }: Entry): Room {
    const text = `${JSON.stringify(key)}:`;
    return { tokens: this.count(text) + 1, characters: text.length + 1 };
  }

  /** Tokens of the value alone. */
  tokensOf(entry: Entry): number {
    let tokens = this.#tokens.get(entry);
    if (tokens === undefined) this.#tokens.set(entry, (tokens = this.count(entry.json)));
    return tokens;
  }

  /**
   * True when the entry fits. Does not count values with too many characters, and counts only the beginning of those that are
   * certainly too large.
   */
  isWithin(entry: Entry, room: Room): boolean {
    if (room.tokens <= 0 || entry.json.length + entry.key.length > room.characters) return false;
    if (!this.#tokens.has(entry) && surelyExceeds(entry.json, room.tokens, this.count)) return false;
    return isWithin(this.of(entry), room);
  }
}
