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
import { anyObject, count, figure, flag, listOf, mark, objectOf, oneOf, type ResultSchema, text, texts, time } from "./fields.ts";

const identity = {
  id: text("the checkpoint"),
  sessionId: text("its session"),
  name: text("if it has one").optional(),
  agentId: text("if it was given").optional(),
  workflowId: text("if it was given").optional(),
  project: text("root of its project, if any").optional(),
};

const metadata = {
  ...identity,
  sessionProject: text("the project of its session, if different").optional(),
  sessionName: text("a readable name of its session, if the session's id is generated").optional(),
  createdAt: time("time of saving"),
  lastAccessedAt: time("time of the last load, or of saving"),
  tags: texts("its tags, if any").optional(),
  contextSizeBytes: count("size as stored"),
  contextHash: text("SHA-256 of the canonical JSON (RFC 8785)"),
  blobPath: text("its file, below the data directory"),
  parentId: z.string().nullable().describe("the parent checkpoint"),
  kind: oneOf(CHECKPOINT_KINDS, "`workflow`, `project`, `conversation` or `aside`"),
  sequence: z.int().min(1).describe("its place in the session, from 1"),
  layers: z.partialRecord(z.enum(LAYERS), z.int()).optional().describe("number of entries in each layer at the save"),
  phase: text("the workflow phase that it ends").optional(),
  gitState: z
    .strictObject({ branch: z.string().optional(), commit: z.string().optional() })
    .optional()
    .describe("state of its repository: `branch`, and the beginning of `commit`"),
  criticalKeys: texts("pinned entries of the session, if any").optional(),
  damaged: mark("its file is damaged: it cannot be loaded"),
  attributes: anyObject("the caller's own keys, if any").optional(),
};

const session = {
  id: text("the session"),
  createdAt: time("time of its first save"),
  lastAccessedAt: time("time of its last save or load"),
  tags: texts("its tags, if any").optional(),
  totalSizeBytes: count("size of its checkpoints as stored"),
  checkpointCount: count("number of its checkpoints"),
  damagedCount: count("number of damaged ones, if any").optional(),
  criticalKeys: texts("pinned entries, if any").optional(),
  retention: oneOf(["all"], "`all`: it is never pruned").optional(),
  name: text("a readable name, in lists of sessions, if its id is generated").optional(),
  project: text("the project of its first save, in lists of sessions").optional(),
};

export function metadataWith(more: Readonly<Record<string, z.ZodType>>): z.ZodObject {
  return objectOf<CheckpointMetadata>({ ...metadata, ...more });
}

export function sessionWith(more: Readonly<Record<string, z.ZodType>>): z.ZodObject {
  return objectOf<SessionMetadata>({ ...session, ...more });
}

/** Objects that several commands print, each described once under its name. */
export const METADATA: z.ZodObject = metadataWith({}).meta({
  id: "metadata",
  description: "facts of a checkpoint",
});
export const SESSION: z.ZodObject = sessionWith({}).meta({ id: "session", description: "facts of the session" });

export const SECRETS: ResultSchema<NonNullable<SaveCheckpointResult["secrets"]>> = objectOf<NonNullable<SaveCheckpointResult["secrets"]>>({
  action: oneOf(["warned", "redacted"], "the action taken"),
  count: count("their number"),
  found: listOf(z.strictObject({ rule: text("the [rule](secret-rules.md)"), path: text("where") }), "the first of them"),
  advice: text("the next step"),
}).meta({ id: "secrets", description: "secrets that were found" });

type ReportedEntry = ShapedContextResult["report"]["entries"][number];

export const REPORTED_ENTRY: ResultSchema<ReportedEntry> = objectOf<ReportedEntry>({
  key: text("the key, shortened if very long"),
  keyCharacters: count("its length, if shortened").optional(),
  layer: oneOf(LAYERS, "its layer"),
  confidence: figure("confidence of the layer").optional(),
  why: text("the rule that decided the layer").optional(),
  outcome: oneOf(["kept", "reduced", "condensed", "dropped"], "result for the entry"),
  tokensBefore: count("tokens of the saved value as JSON"),
  tokensAfter: count("tokens of the rest"),
});

const layerTotals = z.strictObject({ entries: z.int(), tokensBefore: z.int(), tokensAfter: z.int() });

export const REPORT: ResultSchema<ShapedContextResult["report"]> = objectOf<ShapedContextResult["report"]>({
  kept: count("entries that are whole"),
  reduced: count("entries written shorter, without repetitions"),
  condensed: count("entries that are shortened"),
  dropped: count("entries that are left out"),
  layers: z
    .partialRecord(z.enum(LAYERS), layerTotals)
    .optional()
    .describe("for each layer `entries`, `tokensBefore` and `tokensAfter`, if details were requested"),
  entries: listOf(REPORTED_ENTRY, "entries that are not whole, those with most missing first"),
  nextCursor: text("continues `entries`, if not all are listed").optional(),
}).meta({ id: "report", description: "the results for the entries" });

export const LARGEST_CRITICAL: z.ZodType = z
  .strictObject({ key: z.string(), keyCharacters: z.int().optional(), tokens: z.int() })
  .describe("the critical entry that used most of the budget and displaced others: `key` and `tokens`");

export const OMISSIONS: z.ZodType = objectOf<NonNullable<ShapedContextResult["omitted"]>>({
  count: count("number of omitted entries"),
  entries: listOf(
    z.strictObject({ key: z.string(), keyCharacters: z.int().optional(), characters: z.int() }),
    "the largest: `key`, and the `characters` of the value as JSON",
  ),
  nextCursor: text("continues `entries`, if not all are listed").optional(),
}).meta({ id: "omissions", description: "omitted entries" });

export const SHORTENED: z.ZodType = objectOf<NonNullable<ViewCheckpointResult["shortened"]>>({
  count: count("number of partial and rewritten entries"),
  entries: listOf(
    z.strictObject({ key: z.string(), keyCharacters: z.int().optional(), characters: z.int(), shown: z.int() }),
    "those with most missing: `key`, the `characters` of the value as JSON, and the number `shown`: all of them when it is only rewritten, such as a list as a table",
  ),
  nextCursor: text("continues `entries`, if not all are listed").optional(),
}).meta({ id: "partial", description: "partial and rewritten entries" });

export const ADVANCED: z.ZodType = objectOf<NonNullable<ShapedContextResult["advanced"]>>({
  by: text("the model"),
  condensed: count("entries that it condensed"),
  fellBack: listOf(z.strictObject({ key: z.string(), why: z.string() }), "entries that it could not condense: `key` and `why`"),
}).meta({ id: "advanced", description: "the part of a model" });

export const ORIGIN: ResultSchema<NonNullable<ShapedContextResult["origin"]>> = objectOf<NonNullable<ShapedContextResult["origin"]>>({
  savedAt: time("time of the save"),
  agentId: text("the agent, if given").optional(),
}).meta({ id: "origin", description: "time and agent of the save" });

export const UNREADABLE: z.ZodType = objectOf<NonNullable<LoadCheckpointResult["fellBackFrom"]>[number]>({
  checkpointId: text("the checkpoint"),
  reason: text("the reason"),
});

/** Durability of the data in an answer. The command line never uses the memory fallback. */
export const STANDING: { readonly durability: z.ZodType; readonly degraded: z.ZodType; readonly degradedReason: z.ZodType } = {
  durability: oneOf(["disk", "memory"], "`disk`"),
  degraded: z.never().optional(),
  degradedReason: z.never().optional(),
};

export const PAGE: { readonly total: z.ZodType; readonly limit: z.ZodType; readonly offset: z.ZodType } = {
  total: count("their number on all pages"),
  limit: count("the largest size of a page"),
  offset: count("number of items before this page"),
};

export const DRY_RUN: z.ZodType = flag("whether nothing was changed");
export const CONTEXT: z.ZodType = anyObject("the context, exactly as it was saved");
export const OTHER_PROJECT: z.ZodType = text("the session's project, if it is another one").optional();

export const RULES_WARNING: z.ZodType = text("the reason if the project's [rules](context-rules.md) were ignored").optional();
