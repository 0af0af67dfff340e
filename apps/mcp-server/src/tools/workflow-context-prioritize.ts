import { SHAPE_RESULT } from "@workrail/schemas";
import * as z from "zod";
import type { LazyStore } from "../lazy-store.ts";
import { toldFields } from "../told-fields.ts";
import { defineTool, type Tool } from "../tool.ts";
import { withNamedCheckpoint } from "./named-checkpoint.ts";
import { budget, detailedReport, original, source, toAnswer } from "./view-fields.ts";

const input = z.strictObject({
  ...source,
  budgets: z
    .strictObject({
      CRITICAL: z.int().min(0).optional(),
      IMPORTANT: z.int().min(0).optional(),
      USEFUL: z.int().min(0).optional(),
      EPHEMERAL: z.int().min(0).optional(),
    })
    .optional()
    .describe("By layer: {IMPORTANT: 500}"),
  dryRun: z.boolean().optional().describe("Only report; save nothing"),
});

const output = toldFields(SHAPE_RESULT, {
  context: "By layer, the most important first; empty after a dry run",
  tokensBefore: "Of the whole context (o200k)",
  tokensAfter: "Of this one",
  report: detailedReport,
  ...budget,
  checkpointId: "Holds the original, exactly; none after a dry run of what is not saved",
  ...original,
});

/** Orders a context by importance, within budgets, and keeps the original. */
export function workflowContextPrioritize(store: LazyStore): Tool {
  return defineTool({
    name: "workflow_context_prioritize",
    title: "Prioritize a context",
    description: "Order a context by importance. dryRun reports each entry's layer and why.",
    input,
    output,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    // A dry run writes nothing, and a saved checkpoint is its own original.
    canOnlyRead: true,
    async run(request, { client }) {
      const workrail = await store.get();
      const named = await withNamedCheckpoint(workrail, request);
      return toAnswer(await workrail.prioritizeContext({ ...named, agentId: client?.name })) as unknown as z.output<typeof output>;
    },
  });
}
