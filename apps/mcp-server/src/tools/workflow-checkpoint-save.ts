import type { CheckpointLabels, SaveCheckpointResult } from "@workrail/runtime";
import * as z from "zod";
import type { LazyStore } from "../lazy-store.ts";
import { defineTool, jsonObject, type Tool } from "../tool.ts";
import { contextRulesWarning, degradation, durability, roundedNumbers, secrets, time } from "./fields.ts";

const labels = jsonObject().meta({
  description: "name, tags (a list), and keys of your own",
  properties: { name: { type: "string" }, tags: { type: "array", items: { type: "string" } } },
});

const rules = jsonObject().meta({
  description: "Layers of keys and paths: {layers: {CRITICAL: ['spec*']}}",
  properties: { layers: { type: "object" }, paths: { type: "object" }, budgets: { type: "object" }, phases: { type: "array" } },
});

const input = z.strictObject({
  sessionId: z.string().optional().describe("Of this work; a new id starts a session"),
  context: jsonObject().describe("Your state: goal, plan, decisions, findings. Kept exactly"),
  metadata: labels.optional(),
  force: z.boolean().optional().describe("Save even if nothing changed"),
  workflowId: z.string().optional().describe("Its workflow"),
  agentId: z.string().optional().describe("Who saves"),
  parentId: z.string().optional().describe("Default: the latest"),
  expectedParentId: z.string().optional().describe("Fail unless this is the latest"),
  checkpointId: z.string().optional().describe("Your own id: the call can be repeated"),
  phase: z.string().min(1).max(200).optional().describe("Phase of the workflow that ends here"),
  contextRules: rules.optional(),
});

const output = z.looseObject({
  checkpointId: z.string().describe("The new checkpoint, or the one that already holds this context"),
  sessionId: z.string().describe("Its session"),
  sessionReason: z
    .enum(["given", "process", "derived", "fresh"])
    .describe("Why this session: given; in use here for the workflow; derived from workflow and context; fresh"),
  status: z.enum(["SAVED", "SKIPPED_UNCHANGED"]).describe("Whether anything new was written"),
  sizeBytes: z.number().describe("Compressed size"),
  parentId: z.string().nullable().describe("The checkpoint it continues"),
  createdAt: time.describe("When it was saved"),
  contextHash: z.string().describe("SHA-256 of the canonical context"),
  blobPath: z.string().describe("Its file in the data directory"),
  durability,
  ...degradation,
  ignored: z.array(z.string()).optional().describe("On a skip: what this call brought that was not kept"),
  ignoredMetadata: z.array(z.string()).optional().describe("Metadata keys that are set by the server"),
  pruned: z.number().optional().describe("Oldest checkpoints removed because the session is full"),
  quotaWarning: z.string().optional().describe("The store fills up. Tell your user"),
  secrets: secrets.optional(),
  contextRulesWarning: contextRulesWarning.optional(),
  roundedNumbers: z
    .looseObject({ count: z.number(), integers: z.array(z.string()) })
    .optional()
    .describe("Integers too long for a number, kept rounded: save them as strings"),
});

/** Saves a context as its session's latest checkpoint. */
export function workflowCheckpointSave(store: LazyStore): Tool {
  return defineTool({
    name: "workflow_checkpoint_save",
    title: "Save a checkpoint",
    description:
      "Save your working state after each step worth keeping, so that you or another agent can go on from it after a crash, a full context window or a hand-over.",
    input,
    output,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    meta: { "anthropic/alwaysLoad": true },
    resultMeta: ({ status }) => (status === "SKIPPED_UNCHANGED" ? { code: "CONTEXT_UNCHANGED", httpStatus: 200 } : undefined),
    async run({ metadata, agentId, contextRules, ...rest }, { client, rounded }) {
      const workrail = await store.get();
      const given = metadata as CheckpointLabels | undefined;
      const saver = agentId ?? (typeof given?.["agentId"] === "string" ? given["agentId"] : undefined);
      const saved = await workrail.saveCheckpoint({ ...rest, metadata: given, agentId: saver ?? client?.name, contextRules });
      return { ...(saver === undefined ? withoutDefault(saved) : saved), ...roundedNumbers(rounded) };
    },
  });
}

/** Nobody brought the name that the client has. */
function withoutDefault({ ignored, ...saved }: SaveCheckpointResult): SaveCheckpointResult {
  const brought = ignored?.filter((field) => field !== "agentId") ?? [];
  return brought.length === 0 ? saved : { ...saved, ignored: brought };
}
