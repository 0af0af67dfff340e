import { CHECKPOINT_KINDS } from "@workrail/core";
import { type CheckpointMetadata, flatMetadata, type Workrail } from "@workrail/runtime";
import { FIND_RESULT, SESSION } from "@workrail/schemas";
import * as z from "zod";
import type { LazyStore } from "../lazy-store.ts";
import { answerField, answerFields } from "../answer-fields.ts";
import { defineTool, jsonObject, type Tool, unlisted } from "../tool.ts";
import { fittingItems } from "./fitting-items.ts";
import { branchOf, degradation, details, durability, metadataOmitted, time } from "./fields.ts";

const input = z.strictObject({
  sessionId: z.string().optional().describe("Default: all"),
  limit: z.int().min(1).max(100).optional().describe("Default 20"),
  offset: z.int().min(0).optional().describe("To skip"),
  tags: z.array(z.string()).max(100).optional().describe("All of them"),
  name: unlisted(z.string().optional()),
  query: z.string().max(1_000).optional().describe("Words in name, tags, metadata"),
  since: z.string().optional().describe("ISO 8601"),
  until: unlisted(z.string().optional()),
  workflowId: z.string().optional().describe("Its workflow"),
  agentId: unlisted(z.string().optional()),
  phase: unlisted(z.string().optional()),
  kind: unlisted(z.enum(CHECKPOINT_KINDS).optional()),
  details,
});

const checkpoint = z.looseObject({
  checkpointId: z.string(),
  sessionId: z.string(),
  createdAt: time,
  sizeBytes: z.number().optional(),
  metadata: jsonObject(),
  metadataOmitted: metadataOmitted.optional(),
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

const output = answerFields(FIND_RESULT, {
  checkpoints: z.array(checkpoint).describe("Newest first, each {checkpointId, sessionId, createdAt, metadata}"),
  total: "Of matches",
  limit: "As requested",
  offset: "As requested",
  nextOffset: z.number().optional().describe("Offset of the next page"),
  session: unlisted(answerField(session)).optional(),
  durability,
  ...degradation,
});

type Listed = z.output<typeof checkpoint>;

/** Lists checkpoints, newest first, as many as fit. */
export function workflowCheckpointList(store: LazyStore): Tool {
  return defineTool({
    name: "workflow_checkpoint_list",
    title: "List checkpoints",
    description: "List checkpoints, newest first.",
    input,
    output,
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    async run({ details: isDetailed = false, ...request }, call) {
      const workrail = await store.get(call);
      const { checkpoints, session, ...page } = await workrail.findCheckpoints(request);
      const frame = { ...page, ...(session === undefined || !isDetailed ? {} : { session: { ...session } }) };
      const told = isDetailed ? checkpoints : checkpoints.map((each) => briefly(each, request.sessionId === undefined ? checkpoints : []));
      const items = await Promise.all(told.map((each) => listedOf(workrail, each)));
      const listed = [...(await fittingItems(workrail, frame, items))];
      const next = page.offset + listed.length;
      return { checkpoints: listed, ...frame, ...(next < page.total && listed.length > 0 ? { nextOffset: next } : {}) };
    },
  });
}

type ListedCheckpoint = Pick<CheckpointMetadata, "id" | "sessionId" | "createdAt"> & Partial<CheckpointMetadata>;

/**
 * Keeps what tells one checkpoint from another.
 *
 * @param all the list, if it is of several sessions: then with the name of the session, and with the project if these differ.
 */
function briefly(checkpoint: CheckpointMetadata, all: readonly CheckpointMetadata[]): ListedCheckpoint {
  const { lastAccessedAt, contextSizeBytes, contextHash, blobPath, parentId, sequence, layers, criticalKeys, ...rest } = checkpoint;
  void [lastAccessedAt, contextSizeBytes, contextHash, blobPath, parentId, sequence, layers, criticalKeys];
  const { kind, sessionName, project, gitState, ...told } = rest;
  return {
    ...told,
    ...branchOf(gitState),
    ...(sessionName === undefined || all.length === 0 ? {} : { sessionName }),
    ...(project !== undefined && all.some((other) => other.project !== project) ? { project } : {}),
    ...(kind === "workflow" ? {} : { kind }),
  };
}

/** Builds an item as in the specification. Fields at the top level are not repeated in `metadata`. */
async function listedOf(workrail: Workrail, { id, sessionId, createdAt, contextSizeBytes, ...rest }: ListedCheckpoint): Promise<Listed> {
  const { fields, omitted } = await workrail.fitDescription(rest);
  return {
    checkpointId: id,
    sessionId,
    createdAt,
    ...(contextSizeBytes === undefined ? {} : { sizeBytes: contextSizeBytes }),
    metadata: flatMetadata(fields) as Listed["metadata"],
    ...(omitted === undefined ? {} : { metadataOmitted: omitted }),
  };
}
