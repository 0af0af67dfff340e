import { CHECKPOINT_KINDS } from "@workrail/core";
import type { CheckpointMetadata, Workrail } from "@workrail/runtime";
import { FIND_RESULT, SESSION } from "@workrail/schemas";
import * as z from "zod";
import type { LazyStore } from "../lazy-store.ts";
import { toldField, toldFields } from "../told-fields.ts";
import { defineTool, type Tool } from "../tool.ts";
import { asManyAsFit } from "./as-many-as-fit.ts";
import { degradation, durability, metadata, metadataOmitted, time } from "./fields.ts";

const input = z.strictObject({
  sessionId: z.string().optional().describe("Default: all of the project"),
  limit: z.int().min(1).max(100).optional().describe("Default 20, at most 100"),
  offset: z.int().min(0).optional().describe("Default 0"),
  tags: z.array(z.string()).max(100).optional().describe("All of them"),
  name: z.string().optional().describe("Part of it"),
  query: z.string().max(1_000).optional().describe("Words in name, tags or metadata"),
  since: z.string().optional().describe("ISO 8601"),
  until: z.string().optional().describe("ISO 8601"),
  workflowId: z.string().optional().describe("Its workflow"),
  agentId: z.string().optional().describe("Who saved"),
  phase: z.string().optional().describe("Ends there"),
  kind: z.enum(CHECKPOINT_KINDS).optional().describe("Default: all but asides"),
});

const checkpoint = z.looseObject({
  checkpointId: z.string().describe("For workflow_checkpoint_load"),
  sessionId: z.string().describe("Its session"),
  createdAt: time.describe("When it was saved"),
  sizeBytes: z.number().describe("Compressed size"),
  metadata,
  metadataOmitted,
});

const session = SESSION.pick({
  id: true,
  createdAt: true,
  lastAccessedAt: true,
  totalSizeBytes: true,
  checkpointCount: true,
  tags: true,
  criticalKeys: true,
});

const output = toldFields(FIND_RESULT, {
  checkpoints: z.array(checkpoint).describe("Newest first"),
  total: "How many match",
  limit: "As asked for",
  offset: "As asked for",
  nextOffset: z.number().optional().describe("offset of the next page; absent on the last one"),
  session: toldField(session, "The session asked for").optional(),
  durability,
  ...degradation,
});

type Listed = z.output<typeof checkpoint>;

/** Lists checkpoints, newest first, as many as fit. */
export function workflowCheckpointList(store: LazyStore): Tool {
  return defineTool({
    name: "workflow_checkpoint_list",
    title: "List checkpoints",
    description: "Find checkpoints by any of these filters, newest first.",
    input,
    output,
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    async run(request) {
      const workrail = await store.get();
      const { checkpoints, session, ...page } = await workrail.findCheckpoints(request);
      const frame = { ...page, ...(session === undefined ? {} : { session: { ...session } }) };
      const items = await Promise.all(checkpoints.map((each) => listedOf(workrail, each)));
      const listed = [...(await asManyAsFit(workrail, frame, items))];
      const next = page.offset + listed.length;
      return { checkpoints: listed, ...frame, ...(next < page.total && listed.length > 0 ? { nextOffset: next } : {}) };
    },
  });
}

/** Builds an item as in the specification. Fields at the top level are not repeated in `metadata`. */
async function listedOf(workrail: Workrail, checkpoint: CheckpointMetadata): Promise<Listed> {
  const { id, sessionId, createdAt, contextSizeBytes, ...rest } = checkpoint;
  const { fields, omitted } = await workrail.fitDescription(rest);
  const item = { checkpointId: id, sessionId, createdAt, sizeBytes: contextSizeBytes, metadata: fields as Listed["metadata"] };
  return omitted === undefined ? item : { ...item, metadataOmitted: { ...omitted, entries: [...omitted.entries] } };
}
