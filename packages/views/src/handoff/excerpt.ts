import type { JsonValue } from "@workrail/core";
import type { HandoffPart } from "./handoff-part.ts";

/** Part of an entry that is meaningful alone: a sentence, a record, a line, or a small value. */
export interface Excerpt {
  /** Top-level key of the context. */
  readonly key: string;
  /** Member of the entry that it belongs to, if the entry is an object. */
  readonly member?: string | undefined;
  /** Index in the list that it comes from. */
  readonly index?: number | undefined;
  /** Label written once above it: speaker, heading, or column names. */
  readonly label?: string | undefined;
  readonly text: string;
  /** True when it continues the line of the excerpt before it. */
  readonly continues?: boolean | undefined;
  /** Whole value of the entry or member, if it is small enough to be shown unchanged. */
  readonly value?: JsonValue;
  readonly part: HandoffPart;
  /** Importance from 0 to 100, before novelty and focus. */
  readonly base: number;
}
