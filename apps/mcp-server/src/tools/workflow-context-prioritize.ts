import { SHAPE_RESULT } from "@workrail/schemas";
import * as z from "zod";
import type { LazyStore } from "../lazy-store.ts";
import { answerFields } from "../answer-fields.ts";
import { defineTool, type Tool, unlisted } from "../tool.ts";
import { withNamedCheckpoint } from "./named-checkpoint.ts";
import { details } from "./fields.ts";
import { budget, original, source, toAnswer, detailedReport } from "./view-fields.ts";

const input = z.strictObject({
  ...source,
  focus: unlisted(source.focus),
  budgets: z
    .strictObject({
      CRITICAL: z.int().min(0).optional(),
      IMPORTANT: z.int().min(0).optional(),
      USEFUL: z.int().min(0).optional(),
      EPHEMERAL: z.int().min(0).optional(),
    })
    .optional()
    .describe("{IMPORTANT: 500}"),
  dryRun: z.boolean().optional().describe("Only report"),
  details,
});

const output = answerFields(SHAPE_RESULT, {
  context: "Most important first",
  tokensBefore: "Of the whole",
  tokensAfter: "Of this one",
  report: detailedReport,
  ...budget,
  checkpointId: "Holds the original",
  ...original,
});

/** Orders a context by importance, within budgets, and keeps the original. */
export function workflowContextPrioritize(store: LazyStore): Tool {
  return defineTool({
    name: "workflow_context_prioritize",
    title: "Prioritize a context",
    description: "Order a context by importance; dryRun tells each entry's layer and why.",
    input,
    output,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    // A dry run writes nothing, and a saved checkpoint is its own original.
    canOnlyRead: true,
    async run({ details: isDetailed = false, ...request }, call) {
      const workrail = await store.get(call);
      const named = await withNamedCheckpoint(workrail, request);
      const shaped = await workrail.prioritizeContext({ ...named, agentId: call.client?.name });
      return toAnswer(shaped, { isDetailed, inBrief: ["key", "keyCharacters", "layer", "why", "outcome"] }) as unknown as z.output<
        typeof output
      >;
    },
  });
}
