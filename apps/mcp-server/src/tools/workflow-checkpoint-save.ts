import { invalidInput, isJsonObject, type WorkrailError } from "@workrail/core";
import { nestedMetadata, type SaveCheckpointResult } from "@workrail/runtime";
import { PATCHED, SAVE_RESULT } from "@workrail/schemas";
import * as z from "zod";
import type { LazyStore } from "../lazy-store.ts";
import { answerField, answerFields } from "../answer-fields.ts";
import { defineTool, jsonObject, jsonOrText, type Tool, unlisted } from "../tool.ts";
import { roundedInTexts } from "../rounded-integers.ts";
import { degradation, details, droppedKeys, durability, secrets } from "./fields.ts";

const labels = jsonObject().meta({
  description: "{name, tags: [], own keys}",
  properties: { name: { type: "string" }, tags: { type: "array", items: { type: "string" } } },
});

const rules = jsonObject().meta({
  properties: { layers: { type: "object" }, paths: { type: "object" }, budgets: { type: "object" }, phases: { type: "array" } },
});

const patch = jsonOrText().meta({
  description: '{set: {key: value, "/plan/0/done": true}, append: {log: [item]}, remove: [key]}',
  properties: { set: { type: "object" }, append: { type: "object" }, remove: { type: "array", items: { type: "string" } } },
});

/** Most rounded integers that are named. */
const MOST_ROUNDED = 5;

const input = z.strictObject({
  sessionId: z.string().optional().describe("New id: new session"),
  context: jsonOrText().optional().describe("Whole state: goal, plan, decisions"),
  patch: patch.optional(),
  metadata: labels.optional(),
  force: z.boolean().optional().describe("Even if unchanged"),
  workflowId: z.string().optional().describe("Its workflow"),
  agentId: unlisted(z.string().optional()),
  parentId: z.string().optional().describe("Default: latest"),
  expectedParentId: unlisted(z.string().optional()),
  checkpointId: unlisted(z.string().optional()),
  phase: unlisted(z.string().min(1).max(200).optional()),
  contextRules: unlisted(rules.optional()),
  details,
});

const output = answerFields(SAVE_RESULT, {
  checkpointId: "The checkpoint with this context",
  sessionId: "Its session",
  sessionReason: answerField(SAVE_RESULT.shape.sessionReason, "Why this session").optional(),
  status: "Written or not",
  sizeBytes: answerField(SAVE_RESULT.shape.sizeBytes, "Compressed").optional(),
  parentId: unlisted(answerField(SAVE_RESULT.shape.parentId)).optional(),
  createdAt: unlisted(answerField(SAVE_RESULT.shape.createdAt)).optional(),
  contextHash: unlisted(answerField(SAVE_RESULT.shape.contextHash)).optional(),
  blobPath: unlisted(answerField(SAVE_RESULT.shape.blobPath)).optional(),
  durability,
  ...degradation,
  patched: answerField(PATCHED.partial({ base: true }), "Effect of the patch").optional(),
  ...droppedKeys,
  warning: "Problem to correct",
  parsedFromText: unlisted,
  ignored: "On a skip: what was not kept",
  ignoredMetadata: unlisted,
  pruned: unlisted,
  quotaWarning: "Tell your user",
  secrets: secrets.optional(),
  contextRulesWarning: unlisted,
  prunedToTrash: unlisted,
  roundedNumbers: unlisted(z.looseObject({ count: z.number(), integers: z.array(z.string()) }).optional()),
});

/** Saves a context as its session's latest checkpoint. */
export function workflowCheckpointSave(store: LazyStore): Tool {
  return defineTool({
    name: "workflow_checkpoint_save",
    title: "Save a checkpoint",
    description: "Save your work after each step worth keeping. Send the whole state as context first, then changes as patch.",
    input,
    output,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    meta: { "anthropic/alwaysLoad": true },
    resultMeta: ({ status }) => (status === "SKIPPED_UNCHANGED" ? { code: "CONTEXT_UNCHANGED", httpStatus: 200 } : undefined),
    async run({ metadata, agentId, contextRules, details: isDetailed, ...rest }, call) {
      const workrail = await store.get(call);
      if (rest.force !== true && isEmpty(rest.context)) throw emptyState();
      const given = metadata === undefined ? undefined : nestedMetadata(metadata);
      const saver = agentId ?? (typeof given?.agentId === "string" ? given.agentId : undefined);
      const saved = await workrail.saveCheckpoint({
        ...rest,
        metadata: given,
        agentId: saver ?? call.client?.name,
        contextRules,
      });
      const inTexts = saved.parsedFromText === undefined ? [] : roundedInTexts(rest.context, rest.patch);
      const rounded = [...call.rounded, ...inTexts];
      const told = saver === undefined && saved.ignored !== undefined ? withoutDefault(saved) : saved;
      return {
        ...(isDetailed === true ? told : briefly(told)),
        ...(rounded.length === 0 ? {} : { roundedNumbers: { count: rounded.length, integers: rounded.slice(0, MOST_ROUNDED) } }),
      };
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

/**
 * Leaves out sizes, times, digests, paths and known ids. After dropped keys `parentId` is told, since a patch of the parent brings them
 * back.
 */
function briefly(saved: SaveCheckpointResult): z.output<typeof output> {
  const { checkpointId, sessionId, sessionReason, status, sizeBytes, parentId, createdAt, contextHash, blobPath, patched, ...rest } = saved;
  void [sizeBytes, createdAt, contextHash, blobPath];
  return {
    checkpointId,
    sessionId,
    ...(sessionReason === "given" ? {} : { sessionReason }),
    status,
    ...(rest.droppedKeys === undefined ? {} : { parentId }),
    ...(patched === undefined ? {} : { patched: withoutBase(patched) }),
    ...rest,
  };
}

function withoutBase({ base: _parent, ...patched }: NonNullable<SaveCheckpointResult["patched"]>): object {
  return patched;
}

/** Removes `agentId` from the ignored fields: the default from the client's name was not part of the call. */
function withoutDefault({ ignored, ...saved }: SaveCheckpointResult): SaveCheckpointResult {
  const brought = ignored?.filter((field) => field !== "agentId") ?? [];
  return brought.length === 0 ? saved : { ...saved, ignored: brought };
}
