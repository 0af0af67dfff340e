import type { ModelMessage } from "ai";
import { type MessagePart, partsOf } from "./message-parts.ts";

/** Messages that must stay together: tool calls, their approvals, and their results. */
export type MessageUnit = readonly [first: number, afterLast: number];

/** Splits a conversation into units, in order. */
export function unitsOf(messages: readonly ModelMessage[]): readonly MessageUnit[] {
  const lastAnswers = lastAnswersOf(messages);
  const units: MessageUnit[] = [];
  for (let first = 0; first < messages.length;) {
    let last = first;
    for (let at = first; at <= last; at++) last = Math.max(last, lastAnswers[at] ?? at);
    // Results without a call belong to the unit before them.
    while (messages[last + 1]?.role === "tool") last++;
    units.push([first, last + 1]);
    first = last + 1;
  }
  return units;
}

/** Returns for each message the index of the last message that answers its calls. An id that calls share names the newest of them. */
function lastAnswersOf(messages: readonly ModelMessage[]): readonly number[] {
  const last = messages.map((_, at) => at);
  const callOf = new Map<string, number>();
  messages.forEach((message, at) => {
    for (const part of partsOf(message)) {
      if (part.type === "tool-call") callOf.set(`call ${part.toolCallId}`, at);
      const call = callOf.get(idIn(part) ?? "");
      if (call === undefined) continue;
      last[call] = at;
      if (part.type === "tool-approval-request") callOf.set(`approval ${part.approvalId}`, call);
    }
  });
  return last;
}

/** The id of a call, or of the approval that is answered. */
function idIn(part: MessagePart): string | undefined {
  switch (part.type) {
    case "tool-result":
    case "tool-approval-request":
      return `call ${part.toolCallId}`;
    case "tool-approval-response":
      return `approval ${part.approvalId}`;
    default:
      return undefined;
  }
}
