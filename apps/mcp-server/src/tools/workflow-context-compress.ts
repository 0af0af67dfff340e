import { COMPRESSION_STRATEGIES } from "@workrail/core";
import { SHAPE_RESULT } from "@workrail/schemas";
import * as z from "zod";
import type { LazyStore } from "../lazy-store.ts";
import { answerFields } from "../answer-fields.ts";
import { defineTool, type Tool, unlisted } from "../tool.ts";
import { details } from "./fields.ts";
import { withNamedCheckpoint } from "./named-checkpoint.ts";
import { budget, layer, omitted, original, report, source, toAnswer } from "./view-fields.ts";

const input = z.strictObject({
  ...source,
  strategy: z.enum(COMPRESSION_STRATEGIES).optional().describe("Default auto"),
  layers: unlisted(z.array(layer).min(1).optional()),
  details,
});

const output = answerFields(SHAPE_RESULT, {
  context: "The compressed context",
  tokensBefore: "Of the whole",
  tokensAfter: "Of this one",
  report,
  omitted,
  ...budget,
  advanced: unlisted,
  checkpointId: "Holds the original",
  ...original,
});

/** Fits a context into a budget, and keeps the original. */
export function workflowContextCompress(store: LazyStore): Tool {
  return defineTool({
    name: "workflow_context_compress",
    title: "Compress a context",
    description: "Shorten a context that is too long. The original is kept.",
    input,
    output,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    // A saved checkpoint is its own original, so nothing is written.
    canOnlyRead: true,
    async run({ details: isDetailed = false, ...request }, call) {
      const workrail = await store.get(call);
      const named = await withNamedCheckpoint(workrail, request);
      const shaped = await workrail.compressContext({ ...named, agentId: call.client?.name });
      return toAnswer(shaped, { isDetailed, inBrief: ["key", "keyCharacters", "outcome", "tokensBefore"] }) as unknown as z.output<
        typeof output
      >;
    },
  });
}
