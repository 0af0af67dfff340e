import { type BriefViewResult, flatMetadata } from "@workrail/runtime";
import { RESUMED_WORK } from "@workrail/schemas";
import * as z from "zod";
import type { LazyStore } from "../lazy-store.ts";
import { answerFields } from "../answer-fields.ts";
import { defineTool, jsonObject, type Tool, unlisted } from "../tool.ts";
import { degradation, details, droppedKeys, durability, metadata, metadataOmitted, otherProject, branchOf } from "./fields.ts";
import { withNamedCheckpoint } from "./named-checkpoint.ts";
import { fellBack, NOTE, origin, shortened } from "./view-fields.ts";

/** Listed as a string only, which saves the schema a union; an integer index is accepted too. */
const segment = z
  .custom<string | number>((value) => typeof value === "string" || Number.isInteger(value), { error: "must be a string or an integer" })
  .meta({ type: "string" });

const path = z.array(z.union([z.string(), z.int()]));

const input = z.strictObject({
  checkpointId: z.string().optional().describe("Id or its start"),
  sessionId: z.string().optional().describe("Loads its latest"),
  budgetTokens: z.int().min(1).optional().describe("Most to answer"),
  focus: z.string().max(2_000).optional().describe("Present task"),
  keys: z
    .array(z.union([z.string(), z.array(segment)]))
    .min(1)
    .max(100)
    .optional()
    .describe('Keys, or paths ["files","a.ts"]'),
  range: z
    .strictObject({ offset: z.int().optional(), limit: z.int().min(0).optional(), last: z.int().min(0).optional() })
    .optional()
    .describe("{offset, limit} in one key"),
  cursor: z.string().optional().describe("A nextCursor"),
  full: unlisted(z.boolean().optional()),
  details,
});

const value = z.looseObject({
  path,
  value: z.unknown().optional(),
  offset: z.number().optional(),
  length: z.number().optional(),
  unit: z.enum(["characters", "items", "members"]).optional(),
  nextOffset: z.number().optional(),
  itemTooLarge: z.boolean().optional(),
  nextKey: z.string().optional(),
  omitted: z.boolean().optional(),
  characters: z.number().optional(),
});

const output = answerFields(RESUMED_WORK, {
  checkpointId: "Loaded checkpoint",
  sessionId: "Its session",
  context: jsonObject().describe("The saved state"),
  metadata,
  metadataOmitted,
  origin,
  ...droppedKeys,
  ...fellBack,
  durability,
  ...degradation,
  values: z.array(value).optional().describe("Values at paths"),
  valuesLeft: unlisted(z.number().optional()),
  missing: z
    .array(z.union([z.string(), path]))
    .optional()
    .describe("Unknown keys"),
  nearest: unlisted(z.array(z.string()).optional()),
  missingCount: unlisted(z.number().optional()),
  ...shortened,
  warning: otherProject,
});

/** Loads a checkpoint, or as much of it as fits, and names the omitted entries. */
export function workflowCheckpointLoad(store: LazyStore): Tool {
  return defineTool({
    name: "workflow_checkpoint_load",
    title: "Load a checkpoint",
    description: "Go on from a saved state: a session's latest, or any by id. Get what did not fit by keys and range.",
    input,
    output,
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    meta: { "anthropic/alwaysLoad": true },
    async run(request, call) {
      const workrail = await store.get(call);
      const view = await workrail.viewBriefly(await withNamedCheckpoint(workrail, request));
      const isDetailed = request.details === true || request.full === true;
      const told = {
        ...view,
        metadata: flatMetadata(isDetailed ? view.metadata : withoutCommit(view.metadata)),
        origin: { ...view.origin, note: NOTE },
      };
      // The library's lists are readonly, which zod's types cannot express.
      return told as unknown as z.output<typeof output>;
    },
  });
}

function withoutCommit({ gitState, ...metadata }: BriefViewResult["metadata"]): BriefViewResult["metadata"] {
  return { ...metadata, ...branchOf(gitState) };
}
