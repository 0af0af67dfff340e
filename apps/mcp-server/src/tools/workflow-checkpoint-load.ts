import { RESUMED_WORK } from "@workrail/schemas";
import * as z from "zod";
import type { LazyStore } from "../lazy-store.ts";
import { toldFields } from "../told-fields.ts";
import { defineTool, jsonObject, type Tool } from "../tool.ts";
import { degradation, droppedKeys, durability, metadata, metadataOmitted, otherProject } from "./fields.ts";
import { withNamedCheckpoint } from "./named-checkpoint.ts";
import { fellBack, NOTE, origin, shortened } from "./view-fields.ts";

/** Listed as a string only, which saves the schema a union; an integer index is accepted too. */
const segment = z
  .custom<string | number>((value) => typeof value === "string" || Number.isInteger(value), { error: "must be a string or an integer" })
  .meta({ type: "string" });

const path = z.array(z.union([z.string(), z.int()]));

const input = z.strictObject({
  checkpointId: z.string().optional().describe("Id or its start; or give sessionId"),
  sessionId: z.string().optional().describe("Loads its latest"),
  budgetTokens: z.int().min(1).optional().describe("Most tokens to answer with"),
  focus: z.string().max(2_000).optional().describe("What you work on now"),
  keys: z
    .array(z.union([z.string(), z.array(segment)]))
    .min(1)
    .max(100)
    .optional()
    .describe('Only these: keys, or paths such as ["files","a.ts"], which come in values'),
  range: z
    .strictObject({ offset: z.int().optional(), limit: z.int().min(0).optional(), last: z.int().min(0).optional() })
    .optional()
    .describe("Part of the one value in keys"),
  cursor: z.string().optional().describe("nextCursor of shortened or omitted"),
  full: z.boolean().optional().describe("At any size; for programs"),
});

const value = z.looseObject({
  path: path.describe("Where it stands"),
  value: z.unknown().optional().describe("It, or the part that fits"),
  offset: z.number().optional().describe("Where the part begins"),
  length: z.number().optional().describe("Length of the whole"),
  unit: z.enum(["characters", "items", "members"]).optional().describe("What offset and length count"),
  nextOffset: z.number().optional().describe("range.offset to go on"),
  itemTooLarge: z.boolean().optional().describe("The item at nextOffset does not fit: ask for its own path"),
  nextKey: z.string().optional().describe("Key of that item"),
  omitted: z.boolean().optional().describe("It does not fit beside the others: ask for it alone"),
  characters: z.number().optional().describe("Its size, when it is omitted"),
});

const output = toldFields(RESUMED_WORK, {
  checkpointId: "The checkpoint that was loaded",
  sessionId: "Its session",
  context: jsonObject().describe("The saved context. Entries named in shortened are there in part"),
  metadata,
  metadataOmitted,
  origin,
  ...droppedKeys,
  ...fellBack,
  durability,
  ...degradation,
  values: z.array(value).optional().describe("What the paths in keys name"),
  valuesLeft: z.number().optional().describe("How many paths, the last in keys, found no room: ask for them again"),
  missing: z
    .array(z.union([z.string(), path]))
    .optional()
    .describe("Keys that are not in the context"),
  nearest: z.array(z.string()).optional().describe("Keys with names like those that are missing"),
  missingCount: z.number().optional().describe("How many those are, when not all are told"),
  ...shortened,
  warning: otherProject,
});

/** Loads a checkpoint, or as much of it as fits, and names the omitted entries. */
export function workflowCheckpointLoad(store: LazyStore): Tool {
  return defineTool({
    name: "workflow_checkpoint_load",
    title: "Load a checkpoint",
    description:
      "Go on from saved work: load a session's latest checkpoint, or any by id. The answer names entries that do not fit; fetch them by keys and range.",
    input,
    output,
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    meta: { "anthropic/alwaysLoad": true },
    async run(request) {
      const workrail = await store.get();
      const { checkpointId, sessionId, ...view } = await workrail.viewBriefly(await withNamedCheckpoint(workrail, request));
      const origin = { ...view.origin, note: NOTE };
      // The library's lists are readonly, which zod's types cannot express.
      return { checkpointId, sessionId, ...view, origin } as unknown as z.output<typeof output>;
    },
  });
}
