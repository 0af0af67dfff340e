import { CHECKPOINT_KINDS, LAYERS } from "@workrail/core";
import type {
  CheckpointMetadata,
  LoadCheckpointResult,
  SaveCheckpointResult,
  SessionMetadata,
  ShapedContextResult,
  ViewCheckpointResult,
} from "@workrail/runtime";
import * as z from "zod";
import { anyObject, count, figure, flag, listOf, mark, objectOf, oneOf, openObjectOf, text, texts, time } from "./fields.ts";

const identity = {
  id: text("the checkpoint"),
  sessionId: text("its session"),
  name: text("if it has one").optional(),
  agentId: text("if it was given").optional(),
  workflowId: text("if it was given").optional(),
  project: text("root of the project it was saved in, if in one").optional(),
};

const metadata = {
  ...identity,
  sessionProject: text("the project that its session belongs to, if that is another one").optional(),
  sessionName: text("a readable name of its session, if that has a generated id").optional(),
  createdAt: time("time of saving"),
  lastAccessedAt: time("time of the last load, or of saving"),
  tags: texts("if it has some").optional(),
  contextSizeBytes: count("size as stored"),
  contextHash: text("SHA-256 of the canonical JSON (RFC 8785)"),
  blobPath: text("its file, below the data directory"),
  parentId: z.string().nullable().describe("the checkpoint that this one continues"),
  kind: oneOf(CHECKPOINT_KINDS, "`workflow`, `project`, `conversation` or `aside`"),
  sequence: z.int().min(1).describe("its place in the session, from 1"),
  layers: z.partialRecord(z.enum(LAYERS), z.int()).optional().describe("how many entries were in each layer when it was saved"),
  phase: text("the phase of the workflow that ended with it").optional(),
  gitState: z
    .strictObject({ branch: z.string().optional(), commit: z.string().optional() })
    .optional()
    .describe("where its repository stood: `branch`, and the beginning of `commit`"),
  criticalKeys: texts("pinned entries of the session, if there are some").optional(),
  damaged: mark("its file proved damaged: it cannot be loaded"),
};

const session = {
  id: text("the session"),
  createdAt: time("time of its first save"),
  lastAccessedAt: time("time of its last save or load"),
  tags: texts("if it has some").optional(),
  totalSizeBytes: count("size of its checkpoints as stored"),
  checkpointCount: count("how many it has"),
  damagedCount: count("how many of them are damaged, if some are").optional(),
  criticalKeys: texts("pinned entries, if there are some").optional(),
  retention: oneOf(["all"], "`all`: nothing of it is pruned").optional(),
  name: text("a readable name, in lists of sessions, if its id is a generated one").optional(),
  project: text("the project of its first save, in lists of sessions").optional(),
};

/** Schema of metadata. Callers may have added fields. */
export function metadataWith(more: Readonly<Record<string, z.ZodType>>): z.ZodObject {
  return openObjectOf<CheckpointMetadata>({ ...metadata, ...more });
}

export function sessionWith(more: Readonly<Record<string, z.ZodType>>): z.ZodObject {
  return objectOf<SessionMetadata>({ ...session, ...more });
}

/** Objects that several commands print, each described once under its name. */
export const METADATA: z.ZodObject = metadataWith({}).meta({
  id: "metadata",
  description: "what is known of a checkpoint, and whatever else was saved with it",
});
export const SESSION: z.ZodObject = sessionWith({}).meta({ id: "session", description: "what is known of the session" });

export const SECRETS: z.ZodType = objectOf<NonNullable<SaveCheckpointResult["secrets"]>>({
  action: oneOf(["warned", "redacted"], "what became of them"),
  count: count("how many there are"),
  found: listOf(z.strictObject({ rule: text("by which [rule](secret-rules.md)"), path: text("where") }), "the first of them"),
  advice: text("what to do about it"),
}).meta({ id: "secrets", description: "what looks like a secret" });

const entry = objectOf<ShapedContextResult["report"]["entries"][number]>({
  key: text("shortened when it is very long"),
  keyCharacters: count("how long it is, if it was shortened").optional(),
  layer: oneOf(LAYERS, "its layer"),
  confidence: figure("how sure that is").optional(),
  why: text("what the layer was decided by").optional(),
  outcome: oneOf(["kept", "reduced", "condensed", "dropped"], "what became of it"),
  tokensBefore: count("tokens of the saved value as JSON"),
  tokensAfter: count("tokens of what is left of it"),
});

const layerTotals = z.strictObject({ entries: z.int(), tokensBefore: z.int(), tokensAfter: z.int() });

export const REPORT: z.ZodType = objectOf<ShapedContextResult["report"]>({
  kept: count("entries that are whole"),
  reduced: count("entries that lost only what repeats or is written at length"),
  condensed: count("entries that are shortened"),
  dropped: count("entries that are left out"),
  layers: z
    .partialRecord(z.enum(LAYERS), layerTotals)
    .optional()
    .describe("of each layer `entries`, `tokensBefore` and `tokensAfter`, where details were asked for"),
  entries: listOf(entry, "what is not whole, what most is missing of first"),
  nextCursor: text("continues `entries`, when not all are named").optional(),
}).meta({ id: "report", description: "what became of the entries" });

export const LARGEST_CRITICAL: z.ZodType = z
  .strictObject({ key: z.string(), keyCharacters: z.int().optional(), tokens: z.int() })
  .describe("the critical entry that took most of the budget, so that others found no room: `key`, and `tokens`");

export const OMISSIONS: z.ZodType = objectOf<NonNullable<ShapedContextResult["omitted"]>>({
  count: count("how many entries are left out"),
  entries: listOf(
    z.strictObject({ key: z.string(), keyCharacters: z.int().optional(), characters: z.int() }),
    "the largest: `key`, and the `characters` of the value as JSON",
  ),
  nextCursor: text("continues `entries`, when not all are named").optional(),
}).meta({ id: "omissions", description: "what was left out" });

export const SHORTENED: z.ZodType = objectOf<NonNullable<ViewCheckpointResult["shortened"]>>({
  count: count("how many entries are there in part"),
  entries: listOf(
    z.strictObject({ key: z.string(), keyCharacters: z.int().optional(), characters: z.int(), shown: z.int() }),
    "those that miss most: `key`, the `characters` of the value as JSON, and how many are `shown`",
  ),
  nextCursor: text("continues `entries`, when not all are named").optional(),
}).meta({ id: "partial", description: "entries that are there in part" });

export const ADVANCED: z.ZodType = objectOf<NonNullable<ShapedContextResult["advanced"]>>({
  by: text("the model"),
  condensed: count("entries that are in its words"),
  fellBack: listOf(z.strictObject({ key: z.string(), why: z.string() }), "those that it was asked for in vain: `key` and `why`"),
}).meta({ id: "advanced", description: "what a model had a part in" });

export const ORIGIN: z.ZodType = objectOf<NonNullable<ShapedContextResult["origin"]>>({
  savedAt: time("when it was saved"),
  agentId: text("by whom, if that was given").optional(),
}).meta({ id: "origin", description: "when and by whom it was saved" });

export const UNREADABLE: z.ZodType = objectOf<NonNullable<LoadCheckpointResult["fellBackFrom"]>[number]>({
  checkpointId: text("the checkpoint"),
  reason: text("why it cannot be read"),
});

/** Durability of the data in an answer. The command line never uses the memory fallback. */
export const STANDING: { readonly durability: z.ZodType; readonly degraded: z.ZodType; readonly degradedReason: z.ZodType } = {
  durability: oneOf(["disk", "memory"], "`disk`"),
  degraded: z.never().optional(),
  degradedReason: z.never().optional(),
};

export const PAGE: { readonly total: z.ZodType; readonly limit: z.ZodType; readonly offset: z.ZodType } = {
  total: count("how many there are, on all pages"),
  limit: count("the most that a page has"),
  offset: count("how many were left out before this page"),
};

export const DRY_RUN: z.ZodType = flag("whether nothing was changed");
export const CONTEXT: z.ZodType = anyObject("the context, exactly as it was saved");
export const OTHER_PROJECT: z.ZodType = text("the session belongs to another project, and to which").optional();

export const RULES_WARNING: z.ZodType = text("why the project's [rules](context-rules.md) cannot be used").optional();
