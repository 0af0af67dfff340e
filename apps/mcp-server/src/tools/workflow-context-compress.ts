import { COMPRESSION_STRATEGIES } from "@workrail/core";
import * as z from "zod";
import type { LazyStore } from "../lazy-store.ts";
import { defineTool, jsonObject, type Tool } from "../tool.ts";
import { withNamedCheckpoint } from "./named-checkpoint.ts";
import { exceeded, largestCritical, layer, omitted, original, report, source, toAnswer } from "./view-fields.ts";

const input = z.strictObject({
  ...source,
  strategy: z.enum(COMPRESSION_STRATEGIES).optional().describe("reduce: nearly lossless; extract: verbatim; progressive: by age"),
  layers: z.array(layer).min(1).optional().describe("Only these"),
});

const output = z.looseObject({
  context: jsonObject().describe("The compressed context"),
  tokensBefore: z.number().describe("Of the whole context (o200k)"),
  tokensAfter: z.number().describe("Of this one"),
  report,
  omitted: omitted.optional(),
  budgetExceededBy: exceeded.optional(),
  largestCritical: largestCritical.optional(),
  advanced: z
    .looseObject({
      by: z.string(),
      condensed: z.number(),
      fellBack: z.array(z.looseObject({ key: z.string(), why: z.string() })),
    })
    .optional()
    .describe("Condensed by a model"),
  checkpointId: z.string().optional().describe("Holds the original, exactly"),
  ...original,
});

/** Fits a context into a budget, and keeps the original. */
export function workflowContextCompress(store: LazyStore): Tool {
  return defineTool({
    name: "workflow_context_compress",
    title: "Compress a context",
    description: "Shorten a context that is too long. Critical entries come first. The original is kept.",
    input,
    output,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    // A saved checkpoint is its own original, so nothing is written.
    canOnlyRead: true,
    async run(request, { client }) {
      const workrail = await store.get();
      const named = await withNamedCheckpoint(workrail, request);
      return toAnswer(await workrail.compressContext({ ...named, agentId: client?.name })) as unknown as z.output<typeof output>;
    },
  });
}
