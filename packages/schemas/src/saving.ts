import type { PatchedState, SaveCheckpointResult } from "@workrail/runtime";
import * as z from "zod";
import { count, objectOf, oneOf, type ResultSchema, text, texts, time } from "./fields.ts";
import { RULES_WARNING, SECRETS, STANDING } from "./shapes.ts";

/** Entries dropped from a state compared with its parent. */
export const DROPPED_KEYS: { readonly droppedKeys: z.ZodType; readonly droppedKeysCount: z.ZodType } = {
  droppedKeys: texts("entries of its parent that it lacks: pinned and critical ones first").optional(),
  droppedKeysCount: count("their number, if not all are listed").optional(),
};

export const PATCHED: ResultSchema<PatchedState> = objectOf<PatchedState>({
  base: text("the patched checkpoint"),
  set: texts("the keys that were set").optional(),
  appended: z.record(z.string(), z.int()).optional().describe("numbers of appended items, by key"),
  removed: texts("the keys that were removed").optional(),
  notFound: texts("keys to remove that do not exist").optional(),
  replaced: z.record(z.string(), z.string()).optional().describe("sizes of lists, objects and long texts that were replaced"),
  keptKeys: count("unchanged top-level entries"),
  namesLeft: count("number of keys not listed").optional(),
});

export const SAVE_RESULT: ResultSchema<SaveCheckpointResult> = objectOf<SaveCheckpointResult>({
  checkpointId: text("the checkpoint that holds the context"),
  sessionId: text("its session"),
  sessionReason: oneOf(
    ["given", "process", "derived", "fresh"],
    "how the session was found: `given`, `derived` from workflow and context, or `fresh`",
  ),
  status: oneOf(["SAVED", "SKIPPED_UNCHANGED"], "`SAVED`, or `SKIPPED_UNCHANGED`"),
  sizeBytes: count("size as stored"),
  parentId: z.string().nullable().describe("the parent checkpoint"),
  createdAt: time("time of saving"),
  contextHash: text("SHA-256 of the canonical JSON (RFC 8785)"),
  blobPath: text("its file, below the data directory"),
  patched: PATCHED.optional().describe("the effect of `--patch`"),
  ...DROPPED_KEYS,
  warning: text("dropped important entries, or the other project of the session").optional(),
  parsedFromText: texts("fields given as JSON text, such as `patch.set`").optional(),
  ignored: texts("on a skip: given fields that differ from the existing checkpoint and were not saved").optional(),
  ignoredMetadata: texts("ignored keys of `--metadata` that belong to Workrail").optional(),
  pruned: count("checkpoints removed because the session was full").optional(),
  prunedToTrash: count("checkpoints that went to the trash because the session was full").optional(),
  quotaWarning: text("the fill level of the store, and its effect").optional(),
  secrets: SECRETS.optional().describe("secrets in it"),
  contextRulesWarning: RULES_WARNING,
  ...STANDING,
});
