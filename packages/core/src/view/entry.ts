import type { Classification } from "../classify/classification.ts";
import type { Context, JsonValue } from "../model/context.ts";
import type { Layer } from "../model/layer.ts";
import type { CountTokens } from "../ports/environment.ts";
import type { Steps } from "../turns.ts";
import { isWithin, type Room } from "./room.ts";
import { surelyMore } from "./surely-more.ts";

/** One entry of a context on its way into a view. */
export interface Entry {
  readonly key: string;
  /** As it may be given: the value, or what reducing left of it. */
  readonly value: JsonValue;
  /** Of `value`, as JSON. */
  readonly json: string;
  readonly isReduced: boolean;
  /** Of the value as it was saved, as JSON. */
  readonly savedJson: string;
  readonly layer: Layer;
  /** Of the layer: 0 to 1. */
  readonly confidence: number;
  readonly why: string;
}

/** Of an entry that nobody classified. */
const UNCLASSIFIED: Classification = { layer: "USEFUL", confidence: 0, why: "default" };

/** @param reduce what is done to every value first; CRITICAL entries are spared. */
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

/** The shortest first; of two as long, by key, so that the order is always the same. */
export function byLength(left: Entry, right: Entry): number {
  return left.json.length - right.json.length || (left.key < right.key ? -1 : 1);
}

/** What entries take within a context, with their keys and commas. Each is counted once, and only when it can matter. */
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

  /** The key, colon and comma. */
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

  /** What has too many characters is not counted, and of what is surely too large only the beginning. */
  isWithin(entry: Entry, room: Room): boolean {
    if (room.tokens <= 0 || entry.json.length + entry.key.length > room.characters) return false;
    if (!this.#tokens.has(entry) && surelyMore(entry.json, room.tokens, this.count)) return false;
    return isWithin(this.of(entry), room);
  }
}
