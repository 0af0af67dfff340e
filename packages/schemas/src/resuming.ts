import { CHECKPOINT_KINDS } from "@workrail/core";
import { RESUME_DEPTHS, type ResumeCandidates, type ResumedWork, type ChangeFields } from "@workrail/runtime";
import * as z from "zod";
import { anyObject, count, listOf, mark, objectOf, oneOf, type ResultSchema, text, texts, time } from "./fields.ts";
import { DROPPED_KEYS } from "./saving.ts";
import { METADATA, OMISSIONS, ORIGIN, OTHER_PROJECT, RULES_WARNING, SHORTENED, STANDING, UNREADABLE } from "./shapes.ts";

type Drift = NonNullable<ResumedWork["drift"]>;

const fileNames = texts("the first of them").optional();

export const DRIFT: ResultSchema<Drift> = objectOf<Drift>({
  says: text("a sentence about the important changes"),
  saved: z
    .strictObject({ branch: z.string().optional(), commit: z.string().optional() })
    .describe("state at the save: `branch` and `commit`"),
  now: z
    .strictObject({ branch: z.string().optional(), commit: z.string().optional(), root: z.string() })
    .describe("state now: `root`, `branch` and `commit`"),
  relation: oneOf(["same", "ahead", "behind", "rebased", "diverged", "unknown"], "relation of the two commits"),
  ahead: count("commits since the save").optional(),
  behind: count("commits of the save that are missing here").optional(),
  files: objectOf<NonNullable<Drift["files"]>>({
    named: count("number of files that the context names"),
    changed: fileNames,
    changedCount: count("how many").optional(),
    renamed: listOf(z.strictObject({ from: z.string(), to: z.string() }), "the first of them").optional(),
    renamedCount: count("how many").optional(),
    deleted: fileNames,
    deletedCount: count("how many").optional(),
  })
    .optional()
    .describe("changes of the files that the context names"),
  unknown: text("the reason if the drift is incomplete").optional(),
});

export const CHANGE_FIELDS: ResultSchema<ChangeFields> = objectOf<ChangeFields>({
  since: text("the earlier checkpoint"),
  added: texts("new entries").optional(),
  addedCount: count("their number, if not all are listed").optional(),
  changed: z.record(z.string(), z.string()).optional().describe("changed entries: the change of their size, or `changed`"),
  changedCount: count("their number, if not all are listed").optional(),
  removed: texts("removed entries").optional(),
  removedCount: count("their number, if not all are listed").optional(),
  unchanged: count("unchanged entries"),
});

export const RESUMED_WORK: ResultSchema<ResumedWork> = objectOf<ResumedWork>({
  status: z.literal("LOADED").describe("`LOADED`, or `CANDIDATES`: then [other fields](#candidates)"),
  depth: oneOf(RESUME_DEPTHS, "the depth of the answer"),
  checkpointId: text("the checkpoint"),
  sessionId: text("its session"),
  summary: text("a Markdown document, at the depth `summary`").optional(),
  context: anyObject("the part of the context that fits, at the other depths").optional(),
  metadata: METADATA.partial().optional().describe("[metadata](#metadata) of the checkpoint, at the other depths"),
  origin: ORIGIN,
  changes: CHANGE_FIELDS.optional().describe("with `--since`: the changes; `context` has the added and changed entries"),
  drift: DRIFT.optional().describe("changes of the repository since the save, if it was saved in one"),
  ...DROPPED_KEYS,
  fellBackFrom: listOf(UNREADABLE, "newer checkpoints of the session that cannot be read").optional(),
  fellBackFromCount: count("their number, if not all are listed").optional(),
  metadataOmitted: OMISSIONS.optional().describe("fields of the metadata that are too large"),
  values: z.never().optional(),
  valuesLeft: z.never().optional(),
  missing: z.never().optional(),
  missingCount: z.never().optional(),
  nearest: z.never().optional(),
  shortened: SHORTENED.optional().describe("partial and rewritten entries"),
  omitted: OMISSIONS.optional().describe("omitted entries"),
  budgetExceededBy: count("tokens beyond the budget").optional(),
  how: text("how to get originals").optional(),
  validUntil: time("the original is not removed automatically before this time").optional(),
  contextRulesWarning: RULES_WARNING,
  warning: OTHER_PROJECT,
  ...STANDING,
});

export const CANDIDATE: ResultSchema<ResumeCandidates["candidates"][number]> = objectOf<ResumeCandidates["candidates"][number]>({
  checkpointId: text("the latest of the session"),
  sessionId: text("the session"),
  reason: text("the reason for listing it"),
  savedAt: time("time of saving"),
  name: text("if it has one").optional(),
  goal: text("the beginning of the goal in its context").optional(),
  summary: text("a Markdown document, if no other candidate fits as well").optional(),
  agentId: text("if it was given").optional(),
  kind: oneOf(CHECKPOINT_KINDS, "unless it is `workflow`").optional(),
  stale: mark("nothing was saved in it for 30 days"),
});

export const RESUME_CANDIDATES: ResultSchema<ResumeCandidates> = objectOf<ResumeCandidates>({
  status: z.literal("CANDIDATES").describe("`CANDIDATES`"),
  note: text("the next step"),
  candidates: listOf(CANDIDATE, "candidates, the likeliest first"),
  total: count("how many there are"),
  ...STANDING,
}).meta({ id: "candidates", description: "candidates for a resume" });
