import type { JsonObject } from "@workrail/core";
import { type ConversationState, NO_CONVERSATION } from "./hook-state.ts";

/** Characters after which a conversation continues in another session. */
const LARGEST_PART = 8_000_000;

/** New messages for one session of the store, and the state after them. */
export interface ConversationPart {
  /** Messages that the part had before. */
  readonly from: number;
  readonly items: readonly JsonObject[];
  readonly after: ConversationState;
}

/**
 * Assigns new messages to the parts of a conversation. The part of a message depends only on earlier messages, so repeated saves give the same
 * parts.
 */
export function conversationParts(before: ConversationState, items: readonly JsonObject[]): ConversationPart[] {
  const parts: { from: number; items: JsonObject[]; after: ConversationState }[] = [];
  let state = before;
  for (const item of items) {
    const isFull = state.size > LARGEST_PART;
    if (isFull) state = { ...NO_CONVERSATION, part: state.part + 1, refusals: state.refusals };
    if (isFull || parts.length === 0) parts.push({ from: state.messages, items: [], after: state });
    const size = state.size + JSON.stringify(item).length;
    state = { part: state.part, messages: state.messages + 1, size, refusals: state.refusals };
    const part = parts.at(-1);
    part?.items.push(item);
    if (part !== undefined) part.after = state;
  }
  return parts;
}
