import type { JsonValue } from "@workrail/core";
import type { HandoffPart } from "../handoff-part.ts";
import { cuesIn } from "../cues.ts";
import type { Excerpt } from "../excerpt.ts";

/** Importance of an entry or heading by its part. */
export const OF_PART: Readonly<Record<HandoffPart, number>> = {
  goal: 94,
  rules: 90,
  turns: 70,
  work: 86,
  decisions: 80,
  failures: 78,
  references: 64,
  rest: 46,
};
/** Values up to this many characters of JSON are shown unchanged. */
export const SMALL = 160;
/** The same limit for a top-level entry. */
export const SMALL_ENTRY = 320;
/** Decrease in importance per further item of the same list or text. */
const LATER_PENALTY = 1.1;
export const MOST_LATER_PENALTY = 22;

export interface Place {
  readonly key: string;
  readonly member?: string | undefined;
  readonly index?: number | undefined;
  readonly label?: string | undefined;
  readonly part: HandoffPart | undefined;
  readonly base: number;
  /** True when the newest item is the last. */
  readonly isHistory: boolean;
  readonly depth: number;
}

/** Excerpts read so far, and functions to read nested values. */
export interface Reading {
  readonly out: Excerpt[];
  /** Reads a value of any shape. */
  value(value: JsonValue, place: Place): void;
  /** Returns a reading into another list. */
  into(out: Excerpt[]): Reading;
}

/** Adds an excerpt. Missing fields come from its place and wording. */
export function push(to: Reading, place: Place, said: Partial<Excerpt> & Pick<Excerpt, "text">): void {
  const { key, member, index, label } = place;
  const { text, ...change } = said;
  const { part, base } = change;
  const weighed = part === undefined || base === undefined ? weigh(text, place) : { part, base };
  to.out.push({ key, member, index, label, text, ...weighed, ...change });
}

/** Returns the part and importance of a text by place and wording. */
export function weigh(
  text: string,
  { part, base, depth }: Pick<Place, "part" | "base" | "depth">,
): { readonly part: HandoffPart; readonly base: number } {
  const cues = cuesIn(text);
  const at = base - depth * 2;
  if (part === "goal" || part === "rules") return { part, base: at + (cues.forbids ? 3 : 0) };
  if (cues.forbids && cues.demands) return { part: part === undefined ? "rules" : part, base: Math.max(at + 8, Math.min(84, at + 26)) };
  if (cues.forbids) return { part: part === undefined ? "rules" : part, base: Math.max(at + 6, Math.min(80, at + 20)) };
  if (cues.restricts && cues.demands) return { part: part ?? "rules", base: Math.max(at + 4, Math.min(74, at + 14)) };
  if (cues.demands) return { part: part ?? "rules", base: Math.max(at + 3, Math.min(74, at + 12)) };
  if (cues.decides) return { part: part ?? "decisions", base: Math.max(at + 3, Math.min(72, at + 12)) };
  if (cues.fails) return { part: part ?? "failures", base: Math.max(at + 2, Math.min(72, at + 11)) };
  if (cues.isOpen) return { part: part ?? "work", base: Math.max(at + 2, Math.min(70, at + 9)) };
  return { part: part ?? "rest", base: at + (cues.restricts ? 3 : 0) };
}

export function later(place: Place, by: number): Place {
  return { ...place, base: place.base - Math.min(MOST_LATER_PENALTY, by * LATER_PENALTY) };
}

/** Returns the rank of an item, lowest first. A history ranks from its end. */
export function orderOf(index: number, count: number, { isHistory, part }: Place): number {
  if (!isHistory) return index;
  const fromEnd = count - 1 - index;
  // Promotes the newest items and the first.
  return part === undefined || part === "rest" ? Math.min(fromEnd, index === 0 ? 4 : fromEnd) - recency(fromEnd) / LATER_PENALTY : fromEnd;
}

/** Returns 24 for the newest, decaying with age. */
export function recency(age: number): number {
  return 24 * Math.exp(-age / 2.5);
}
