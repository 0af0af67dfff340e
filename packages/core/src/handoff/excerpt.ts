import type { JsonValue } from "../model/context.ts";
import type { HandoffPart } from "./part.ts";

/** A piece of an entry that says something by itself: a sentence, a record, a line, a small value. */
export interface Excerpt {
  /** Top-level key of the context. */
  readonly key: string;
  /** Member of the entry that it belongs to, when the entry is an object. */
  readonly member?: string | undefined;
  /** Index in the list that it comes from. */
  readonly index?: number | undefined;
  /** Stands above it and is said once: who spoke, a heading, names of columns. */
  readonly label?: string | undefined;
  readonly text: string;
  /** It goes on in the line of the excerpt before it. */
  readonly continues?: boolean | undefined;
  /** The whole value of the entry or member, when it is small enough to be given as it is. */
  readonly value?: JsonValue;
  readonly part: HandoffPart;
  /** How much it matters beside others, before novelty and focus are looked at: 0 to 100. */
  readonly base: number;
}
