import { CHECKPOINT_KINDS, LAYERS } from "@workrail/core";
import {
  type CompareCheckpointsResult,
  type FindCheckpointsResult,
  type HandoffResult,
  type ListSessionsResult,
  type MarkCriticalResult,
  type PatchedState,
  type ResumeCandidates,
  RESUME_DEPTHS,
  type ResumedWork,
  type ToldChanges,
  type SaveCheckpointResult,
  type SearchCheckpointsResult,
  type ShapedContextResult,
  type TraceSessionResult,
} from "@workrail/runtime";
import * as z from "zod";
import { anyObject, count, figure, flag, listOf, mark, objectOf, oneOf, text, texts, time } from "./fields.ts";
import {
  ADVANCED,
  CONTEXT,
  METADATA,
  metadataWith,
  LARGEST_CRITICAL,
  OMISSIONS,
  ORIGIN,
  PAGE,
  REPORT,
  OTHER_PROJECT,
  RULES_WARNING,
  SECRETS,
  SESSION,
  sessionWith,
  SHORTENED,
  STANDING,
  UNREADABLE,
} from "./shapes.ts";

type Drift = NonNullable<ResumedWork["drift"]>;

const fileNames = texts("the first of them").optional();

const drift = objectOf<Drift>({
  says: text("a sentence about the important changes"),
  saved: z
    .strictObject({ branch: z.string().optional(), commit: z.string().optional() })
    .describe("state at the save: `branch` and `commit`"),
  now: z
    .strictObject({ root: z.string(), branch: z.string().optional(), commit: z.string().optional() })
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

/** Entries dropped from a state compared with its parent. */
const DROPPED_KEYS = {
  droppedKeys: texts("entries of its parent that it lacks: pinned and critical ones first").optional(),
  droppedKeysCount: count("their number, if not all are listed").optional(),
};

const patched = objectOf<PatchedState>({
  base: text("the patched checkpoint"),
  set: texts("the keys that were set").optional(),
  appended: z.record(z.string(), z.int()).optional().describe("numbers of appended items, by key"),
  removed: texts("the keys that were removed").optional(),
  notFound: texts("keys to remove that do not exist").optional(),
  replaced: z.record(z.string(), z.string()).optional().describe("sizes of lists, objects and long texts that were replaced"),
  keptKeys: count("unchanged top-level entries"),
  namesLeft: count("number of keys not listed").optional(),
});

const changes = objectOf<ToldChanges>({
  since: text("the earlier checkpoint"),
  added: texts("new entries").optional(),
  addedCount: count("their number, if not all are listed").optional(),
  changed: z.record(z.string(), z.string()).optional().describe("changed entries: the change of their size, or `changed`"),
  changedCount: count("their number, if not all are listed").optional(),
  removed: texts("removed entries").optional(),
  removedCount: count("their number, if not all are listed").optional(),
  unchanged: count("unchanged entries"),
});

const loaded = objectOf<ResumedWork>({
  status: z.literal("LOADED").describe("`LOADED`, or `CANDIDATES`: then [other fields](#candidates)"),
  depth: oneOf(RESUME_DEPTHS, "the depth of the answer"),
  checkpointId: text("the checkpoint"),
  sessionId: text("its session"),
  summary: text("a Markdown document, at the depth `summary`").optional(),
  context: anyObject("the part of the context that fits, at the other depths").optional(),
  metadata: METADATA.partial().optional().describe("[metadata](#metadata) of the checkpoint, at the other depths"),
  origin: ORIGIN,
  changes: changes.optional().describe("with `--since`: the changes; `context` has the added and changed entries"),
  drift: drift.optional().describe("changes of the repository since the save, if it was saved in one"),
  ...DROPPED_KEYS,
  fellBackFrom: listOf(UNREADABLE, "newer checkpoints of the session that cannot be read").optional(),
  fellBackFromCount: count("their number, if not all are listed").optional(),
  metadataOmitted: OMISSIONS.optional().describe("fields of the metadata that are too large"),
  values: z.never().optional(),
  valuesLeft: z.never().optional(),
  missing: z.never().optional(),
  missingCount: z.never().optional(),
  nearest: z.never().optional(),
  shortened: SHORTENED.optional().describe("partial entries"),
  omitted: OMISSIONS.optional().describe("omitted entries"),
  budgetExceededBy: count("tokens beyond the budget").optional(),
  how: text("how to get originals").optional(),
  validUntil: time("the original is not removed automatically before this time").optional(),
  contextRulesWarning: RULES_WARNING,
  warning: OTHER_PROJECT,
  ...STANDING,
});

const candidate = objectOf<ResumeCandidates["candidates"][number]>({
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

const CANDIDATES: z.ZodType = objectOf<ResumeCandidates>({
  status: z.literal("CANDIDATES").describe("`CANDIDATES`"),
  note: text("the next step"),
  candidates: listOf(candidate, "candidates, the likeliest first"),
  total: count("how many there are"),
  ...STANDING,
}).meta({ id: "candidates", description: "candidates for a resume" });

const comparedEntry = z.strictObject({
  value: z.unknown().describe("the value"),
  layer: oneOf(LAYERS, "its layer"),
  tokens: count("tokens of the value as JSON"),
});
const layerSize = z.strictObject({ entries: z.int(), tokens: z.int() });
const compared = metadataWith({ tokens: count("tokens of the whole context") });
const hit = objectOf<SearchCheckpointsResult["hits"][number]>({
  checkpoint: METADATA,
  head: text("the latest of its session"),
  score: figure("relevance from 0 to 1"),
  distance: figure("`1 - score`"),
  snippet: text("a piece of its text").optional(),
  by: z.literal("meaning").optional().describe("`meaning`: found by meaning, not by words"),
});

const shaped = objectOf<ShapedContextResult>({
  context: anyObject("the shortened context"),
  tokensBefore: count("tokens of the whole context as JSON"),
  tokensAfter: count("tokens of the shortened context"),
  report: REPORT,
  omitted: OMISSIONS.optional().describe("omitted entries"),
  budgetExceededBy: count("tokens beyond the budget, used by critical entries").optional(),
  largestCritical: LARGEST_CRITICAL.optional(),
  advanced: ADVANCED.optional().describe("the part of a model, if one was asked"),
  checkpointId: text("the checkpoint with the original").optional(),
  sessionId: text("its session").optional(),
  validUntil: time("it is not removed automatically before this time").optional(),
  notKept: text("the reason why the original could not be saved").optional(),
  secrets: SECRETS.optional().describe("secrets in the original"),
  how: text("how to get it").optional(),
  contextRulesWarning: RULES_WARNING,
  origin: ORIGIN.optional().describe("time and agent of the save, if it was saved"),
  ...STANDING,
}).meta({ id: "shortened", description: "a shortened context" });

const pinned = objectOf<MarkCriticalResult>({
  status: oneOf(["SUCCESS", "KEY_NOT_FOUND"], "`SUCCESS`"),
  message: text("a sentence for people"),
  sessionId: text("the session"),
  criticalKeys: texts("its pinned entries"),
  ...STANDING,
}).meta({ id: "pins", description: "pinned entries" });

/** JSON output of the commands that save, find and show contexts. */
export const ABOUT_CONTEXTS: Readonly<Record<string, z.ZodType>> = {
  save: objectOf<SaveCheckpointResult>({
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
    patched: patched.optional().describe("the effect of `--patch`"),
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
  }),
  load: anyObject("the context, exactly as it was saved"),
  show: z.strictObject({ metadata: METADATA, context: CONTEXT }),
  list: objectOf<FindCheckpointsResult>({
    checkpoints: listOf(METADATA, "the newest first"),
    ...PAGE,
    session: SESSION.optional().describe("the session, if one was requested"),
    ...STANDING,
  }),
  search: objectOf<SearchCheckpointsResult>({
    hits: listOf(hit, "the best first"),
    loose: mark("no hit has a word of the question: they have words of a phrase, or synonyms, beginnings or similar spellings"),
    indexPending: count("sessions whose newest texts may be missing").optional(),
    meaning: z
      .strictObject({ embedder: z.string(), pending: z.int().optional(), failed: z.string().optional() })
      .optional()
      .describe("result of the search by meaning: the `embedder`, number of `pending` sessions, and why it `failed`"),
    ...STANDING,
  }),
  resume: z.union([loaded, CANDIDATES]),
  handoff: objectOf<HandoffResult>({
    checkpointId: text("the checkpoint"),
    sessionId: text("its session"),
    markdown: text("the document"),
    tokens: count("its tokens"),
    shortened: count("shortened entries"),
    leftOut: count("omitted entries"),
    ...DROPPED_KEYS,
    fellBackFrom: listOf(UNREADABLE, "newer checkpoints of the session that cannot be read").optional(),
    fellBackFromCount: count("their number, if not all are listed").optional(),
    validUntil: time("the original is not removed automatically before this time").optional(),
    contextRulesWarning: RULES_WARNING,
    warning: OTHER_PROJECT,
    ...STANDING,
  }),
  sessions: objectOf<ListSessionsResult>({
    sessions: listOf(
      sessionWith({
        latest: z
          .strictObject({
            id: z.string(),
            createdAt: z.string(),
            name: z.string().optional(),
            project: z.string().optional(),
            workflowId: z.string().optional(),
            agentId: z.string().optional(),
          })
          .optional()
          .describe("the latest checkpoint: `id`, `createdAt`, and `name`, `project`, `workflowId` and `agentId` if set"),
      }),
      "the most recently used first",
    ),
    ...PAGE,
  }),
  log: objectOf<TraceSessionResult>({
    session: SESSION,
    headId: text("the latest readable checkpoint, if any").optional(),
    checkpoints: listOf(
      metadataWith({ children: texts("its child checkpoints"), parentGone: mark("its parent was removed") }),
      "the newest first: [metadata](#metadata), and",
    ),
    total: count("their number, including those beyond the limit"),
  }),
  diff: objectOf<CompareCheckpointsResult>({
    from: compared.describe("[metadata](#metadata) of the older checkpoint, with `tokens`"),
    to: compared.describe("the same of the newer one"),
    entries: listOf(
      objectOf<CompareCheckpointsResult["entries"][number]>({
        key: text("the entry"),
        change: oneOf(["added", "removed", "changed", "moved"], "the kind of change"),
        from: comparedEntry.optional().describe("the older value, if any"),
        to: comparedEntry.optional().describe("the newer value, if any"),
      }),
      "changed entries",
    ),
    unchanged: count("entries that are the same in both"),
    isReordered: flag("whether the same entries have another order"),
    layers: z
      .partialRecord(z.enum(LAYERS), z.strictObject({ from: layerSize, to: layerSize }))
      .describe("for each layer `from` and `to`, each with `entries` and `tokens`"),
  }),
  tag: SESSION,
  pin: pinned,
  unpin: pinned,
  keep: SESSION,
  compress: shaped,
  prioritize: shaped,
};
