import type { ModelMessage } from "ai";
import { partsOf } from "./message-parts.ts";

/** True when a call of the last step waits for the user's approval, or for a result from outside. */
export function hasOpenCalls(messages: readonly ModelMessage[]): boolean {
  const parts = messages.slice(messages.findLastIndex(({ role }) => role === "assistant")).flatMap(partsOf);
  const results = new Set<string>();
  const responses = new Set<string>();
  const requests = new Map<string, string>();
  for (const part of parts) {
    if (part.type === "tool-result") results.add(part.toolCallId);
    if (part.type === "tool-approval-response") responses.add(part.approvalId);
    if (part.type === "tool-approval-request") requests.set(part.toolCallId, part.approvalId);
  }
  return parts.some((part) => {
    if (part.type !== "tool-call" || results.has(part.toolCallId)) return false;
    const request = requests.get(part.toolCallId);
    return request === undefined ? part.providerExecuted !== true : !responses.has(request);
  });
}
