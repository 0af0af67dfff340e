import { MARK_RESULT } from "@workrail/schemas";
import * as z from "zod";
import type { LazyStore } from "../lazy-store.ts";
import { answerFields } from "../answer-fields.ts";
import { defineTool, type Tool } from "../tool.ts";
import { degradation, durability } from "./fields.ts";

const input = z.strictObject({
  contextKey: z.string().describe("Top-level key"),
  sessionId: z.string().optional().describe("Default: current"),
  critical: z.boolean().optional().describe("false: unmark"),
});

const output = answerFields(MARK_RESULT, {
  status: "Presence of the key",
  message: "Explanation",
  sessionId: "Its session",
  criticalKeys: "All marked keys",
  durability,
  ...degradation,
});

/** Pins an entry: it stays CRITICAL in this and all later checkpoints of the session. */
export function workflowMarkCritical(store: LazyStore): Tool {
  return defineTool({
    name: "workflow_mark_critical",
    title: "Mark a key as critical",
    description: "Mark a key that must never get lost, such as the goal.",
    input,
    output,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    async run(request, call) {
      const workrail = await store.get(call);
      return { ...(await workrail.markCritical({ ...request, agentId: call.client?.name })) };
    },
  });
}
