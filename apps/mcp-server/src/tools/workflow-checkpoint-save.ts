import { invalidInput, isJsonObject, type WorkrailError } from "@workrail/core";
import type { CheckpointLabels, SaveCheckpointResult } from "@workrail/runtime";
import { SAVE_RESULT } from "@workrail/schemas";
import * as z from "zod";
import type { LazyStore } from "../lazy-store.ts";
import { toldField, toldFields } from "../told-fields.ts";
import { defineTool, jsonObject, jsonOrText, type Tool } from "../tool.ts";
import { contextRulesWarning, degradation, droppedKeys, durability, roundedInTexts, roundedNumbers, secrets } from "./fields.ts";

const labels = jsonObject().meta({
  description: "name, tags (list), own keys",
  properties: { name: { type: "string" }, tags: { type: "array", items: { type: "string" } } },
});

const rules = jsonObject().meta({
  description: "{layers: {CRITICAL: ['spec*']}}",
  properties: { layers: { type: "object" }, paths: { type: "object" }, budgets: { type: "object" }, phases: { type: "array" } },
});

const patch = jsonOrText().meta({
  description: 'Or changes: {set: {key: value, "/plan/0/done": true}, append: {log: [item]}, remove: [key]}',
  properties: { set: { type: "object" }, append: { type: "object" }, remove: { type: "array", items: { type: "string" } } },
});

const input = z.strictObject({
  sessionId: z.string().optional().describe("A new id starts a session"),
  context: jsonOrText().optional().describe("The whole state: goal, plan, decisions. Drops what it lacks"),
  patch: patch.optional(),
  metadata: labels.optional(),
  force: z.boolean().optional().describe("Save even if unchanged"),
  workflowId: z.string().optional().describe("Its workflow"),
  agentId: z.string().optional().describe("Who saves"),
  parentId: z.string().optional().describe("Default: the latest"),
  expectedParentId: z.string().optional().describe("Fail unless the latest"),
  checkpointId: z.string().optional().describe("Own id, for repeats"),
  phase: z.string().min(1).max(200).optional().describe("Phase that ends here"),
  contextRules: rules.optional(),
});

const output = toldFields(SAVE_RESULT, {
  checkpointId: "The new checkpoint, or the one that already holds this context",
  sessionId: "Its session",
  sessionReason: z
    .enum(["process", "derived", "fresh"])
    .optional()
    .describe("Why this session, where none was given: in use here for the workflow; derived from workflow and context; fresh"),
  status: "Whether anything new was written",
  sizeBytes: "Compressed size",
  parentId: toldField(SAVE_RESULT.shape.parentId, "The checkpoint that a new one continues").optional(),
  createdAt: toldField(SAVE_RESULT.shape.createdAt, "When it was saved, if nothing new was written").optional(),
  durability,
  ...degradation,
  patched: "What the patch did",
  ...droppedKeys,
  warning: "What matters was dropped, or the session is of another project",
  parsedFromText: "Fields that came as JSON text",
  ignored: "On a skip: what this call brought that was not kept",
  ignoredMetadata: "Metadata keys that are set by the server",
  pruned: "Oldest checkpoints removed because the session is full",
  quotaWarning: "The store fills up. Tell your user",
  secrets: secrets.optional(),
  contextRulesWarning,
  prunedToTrash: "Oldest checkpoints that went to the trash because the session is full",
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
      "Save your work after each step worth keeping, to go on after a crash, a full context window or a hand-over. Send the whole state as context first, then changes as patch.",
    input,
    output,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    meta: { "anthropic/alwaysLoad": true },
    resultMeta: ({ status }) => (status === "SKIPPED_UNCHANGED" ? { code: "CONTEXT_UNCHANGED", httpStatus: 200 } : undefined),
    async run({ metadata, agentId, contextRules, ...rest }, { client, rounded }) {
      const workrail = await store.get();
      if (rest.force !== true && isEmpty(rest.context)) throw emptyState();
      const given = metadata as CheckpointLabels | undefined;
      const saver = agentId ?? (typeof given?.["agentId"] === "string" ? given["agentId"] : undefined);
      const saved = await workrail.saveCheckpoint({
        ...rest,
        metadata: given,
        agentId: saver ?? client?.name,
        contextRules,
      });
      const inTexts = roundedInTexts(rest.context, rest.patch);
      const { contextHash: _hash, blobPath: _path, ...told } = saver === undefined ? withoutDefault(saved) : saved;
      return { ...briefly(told), ...roundedNumbers([...rounded, ...inTexts]) };
    },
  });
}

/** True for an empty state. A program may start with one; an agent that sends one has made a mistake. */
function isEmpty(context: unknown): boolean {
  return typeof context === "string" ? /^\s*\{\s*\}\s*$/u.test(context) : isJsonObject(context) && Object.keys(context).length === 0;
}

function emptyState(): WorkrailError {
  return invalidInput(
    "context",
    "context is empty: there is nothing in it to go on from.",
    "Send the whole state as context, or only what changed as patch. To save an empty state on purpose, give force.",
  );
}

/** Leaves out the obvious: how a given session was found, the time of a new save, the parent of a skipped one. */
function briefly({ sessionReason, createdAt, parentId, ...saved }: Omit<SaveCheckpointResult, "contextHash" | "blobPath">) {
  return {
    ...saved,
    ...(sessionReason === "given" ? {} : { sessionReason }),
    ...(saved.status === "SAVED" ? { parentId } : { createdAt }),
  };
}

/** Removes `agentId` from the ignored fields: the default from the client's name was not part of the call. */
function withoutDefault({ ignored, ...saved }: SaveCheckpointResult): SaveCheckpointResult {
  const brought = ignored?.filter((field) => field !== "agentId") ?? [];
  return brought.length === 0 ? saved : { ...saved, ignored: brought };
}
