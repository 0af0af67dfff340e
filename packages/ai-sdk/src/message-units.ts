import type { ModelMessage } from "ai";

/** Messages that must stay together: tool calls, their approvals, and their results. */
export type MessageUnit = readonly [first: number, afterLast: number];

/** Splits a conversation into units, in order. */
export function unitsOf(messages: readonly ModelMessage[]): readonly MessageUnit[] {
  const lastOf = new Map<string, number>();
  messages.forEach((message, at) => idsIn(message).forEach((id) => lastOf.set(id, at)));
  const units: MessageUnit[] = [];
  for (let first = 0; first < messages.length;) {
    const afterLast = endOf(messages, first, lastOf);
    units.push([first, afterLast]);
    first = afterLast;
  }
  return units;
}

function endOf(messages: readonly ModelMessage[], first: number, lastOf: ReadonlyMap<string, number>): number {
  let last = first;
  for (let at = first; at <= last; at++) {
    const message = messages[at];
    if (message === undefined) break;
    last = Math.max(last, ...idsIn(message).map((id) => lastOf.get(id) ?? at));
  }
  // Results without a call belong to the unit before them.
  while (messages[last + 1]?.role === "tool") last++;
  return last + 1;
}

/** Ids of calls and of approvals. */
function idsIn({ content }: ModelMessage): readonly string[] {
  if (typeof content === "string") return [];
  return content.flatMap((part) => {
    switch (part.type) {
      case "tool-call":
      case "tool-result":
        return [`call ${part.toolCallId}`];
      case "tool-approval-request":
        return [`call ${part.toolCallId}`, `approval ${part.approvalId}`];
      case "tool-approval-response":
        return [`approval ${part.approvalId}`];
      default:
        return [];
    }
  });
}
