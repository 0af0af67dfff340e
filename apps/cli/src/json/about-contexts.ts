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
  says: text("in words, the parts of it that matter"),
  saved: z
    .strictObject({ branch: z.string().optional(), commit: z.string().optional() })
    .describe("where it was saved: `branch` and `commit`"),
  now: z
    .strictObject({ root: z.string(), branch: z.string().optional(), commit: z.string().optional() })
    .describe("where the working tree stands now: `root`, `branch` and `commit`"),
  relation: oneOf(["same", "ahead", "behind", "rebased", "diverged", "unknown"], "how the one commit stands to the other"),
  ahead: count("commits that came since").optional(),
  behind: count("commits of then that are not here").optional(),
  files: objectOf<NonNullable<Drift["files"]>>({
    named: count("how many the context names"),
    changed: fileNames,
    changedCount: count("how many").optional(),
    renamed: listOf(z.strictObject({ from: z.string(), to: z.string() }), "the first of them").optional(),
    renamedCount: count("how many").optional(),
    deleted: fileNames,
    deletedCount: count("how many").optional(),
  })
    .optional()
    .describe("of the files that the context names, what became of them since"),
  unknown: text("why not all of it can be told").optional(),
});

/** Entries dropped from a state compared with its parent. */
const DROPPED_KEYS = {
  droppedKeys: texts("entries that its parent had and it has not: pinned and critical ones first").optional(),
  droppedKeysCount: count("how many those are, when not all are told").optional(),
};

const patched = objectOf<PatchedState>({
  base: text("the checkpoint that was changed"),
  set: texts("what was set").optional(),
  appended: z.record(z.string(), z.int()).optional().describe("how many items were appended, by name"),
  removed: texts("what was removed").optional(),
  notFound: texts("what was to be removed and is not there").optional(),
  replaced: z.record(z.string(), z.string()).optional().describe("sizes of lists, objects and long texts that were replaced"),
  keptKeys: count("top-level entries that were kept as they were"),
  namesLeft: count("names that are not told").optional(),
});

const changes = objectOf<ToldChanges>({
  since: text("the checkpoint that was known"),
  added: texts("entries that it did not have").optional(),
  addedCount: count("how many those are, when not all are told").optional(),
  changed: z.record(z.string(), z.string()).optional().describe("entries that are different now: how their size changed, or `changed`"),
  changedCount: count("how many those are, when not all are told").optional(),
  removed: texts("entries that are gone").optional(),
  removedCount: count("how many those are, when not all are told").optional(),
  unchanged: count("entries that are the same"),
});

const loaded = objectOf<ResumedWork>({
  status: z.literal("LOADED").describe("`LOADED`, or `CANDIDATES`: then [other fields](#candidates)"),
  depth: oneOf(RESUME_DEPTHS, "how much of it came"),
  checkpointId: text("the checkpoint"),
  sessionId: text("its session"),
  summary: text("a document in Markdown, of the depth `summary`").optional(),
  context: anyObject("what of the context fits, of the other depths").optional(),
  metadata: METADATA.partial().optional().describe("[metadata](#metadata) of the checkpoint, of the other depths"),
  origin: ORIGIN,
  changes: changes.optional().describe("with `--since`: what is different now; `context` has what was added or changed"),
  drift: drift.optional().describe("what happened in the repository since, if it was saved in one"),
  ...DROPPED_KEYS,
  fellBackFrom: listOf(UNREADABLE, "newer checkpoints of the session that cannot be read").optional(),
  fellBackFromCount: count("how many those are, when not all are told").optional(),
  metadataOmitted: OMISSIONS.optional().describe("fields of the metadata that are too large"),
  values: z.never().optional(),
  valuesLeft: z.never().optional(),
  missing: z.never().optional(),
  missingCount: z.never().optional(),
  nearest: z.never().optional(),
  shortened: SHORTENED.optional().describe("entries that are there in part"),
  omitted: OMISSIONS.optional().describe("what was left out"),
  budgetExceededBy: count("tokens beyond the budget").optional(),
  how: text("how to get originals").optional(),
  validUntil: time("until when nothing removes the original of its own accord").optional(),
  contextRulesWarning: RULES_WARNING,
  warning: OTHER_PROJECT,
  ...STANDING,
});

const candidate = objectOf<ResumeCandidates["candidates"][number]>({
  checkpointId: text("the latest of the session"),
  sessionId: text("the session"),
  reason: text("why it may be meant"),
  savedAt: time("time of saving"),
  name: text("if it has one").optional(),
  goal: text("the beginning of what its context says that it is for").optional(),
  summary: text("a document in Markdown, where no other candidate fits as well").optional(),
  agentId: text("if it was given").optional(),
  kind: oneOf(CHECKPOINT_KINDS, "unless it is `workflow`").optional(),
  stale: mark("nothing was saved in it for 30 days"),
});

const CANDIDATES: z.ZodType = objectOf<ResumeCandidates>({
  status: z.literal("CANDIDATES").describe("`CANDIDATES`"),
  note: text("what to do about it"),
  candidates: listOf(candidate, "what may be meant, the likeliest first"),
  total: count("how many there are"),
  ...STANDING,
}).meta({ id: "candidates", description: "what may be meant" });

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
  score: figure("how well it fits, from 0 to 1"),
  distance: figure("`1 - score`"),
  snippet: text("a piece of its text").optional(),
  by: z.literal("meaning").optional().describe("`meaning`: it was not found by the words"),
});

const shaped = objectOf<ShapedContextResult>({
  context: anyObject("what came of it"),
  tokensBefore: count("tokens of the whole context as JSON"),
  tokensAfter: count("tokens of what came of it"),
  report: REPORT,
  omitted: OMISSIONS.optional().describe("what was left out"),
  budgetExceededBy: count("tokens beyond the budget, which critical entries took").optional(),
  largestCritical: LARGEST_CRITICAL.optional(),
  advanced: ADVANCED.optional().describe("what a model had a part in, if one was asked"),
  checkpointId: text("where the original is").optional(),
  sessionId: text("its session").optional(),
  validUntil: time("until when nothing removes it of its own accord").optional(),
  notKept: text("why the original could not be kept").optional(),
  secrets: SECRETS.optional().describe("what looks like a secret in the original"),
  how: text("how to get it").optional(),
  contextRulesWarning: RULES_WARNING,
  origin: ORIGIN.optional().describe("when and by whom it was saved, if it was"),
  ...STANDING,
}).meta({ id: "shortened", description: "a context that was made to fit" });

const pinned = objectOf<MarkCriticalResult>({
  status: oneOf(["SUCCESS", "KEY_NOT_FOUND"], "`SUCCESS`"),
  message: text("a sentence for people"),
  sessionId: text("the session"),
  criticalKeys: texts("what is pinned in it now"),
  ...STANDING,
}).meta({ id: "pins", description: "what is pinned" });

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
    parentId: z.string().nullable().describe("the checkpoint that this one continues"),
    createdAt: time("time of saving"),
    contextHash: text("SHA-256 of the canonical JSON (RFC 8785)"),
    blobPath: text("its file, below the data directory"),
    patched: patched.optional().describe("what `--patch` did"),
    ...DROPPED_KEYS,
    warning: text("what matters and was dropped, or that the session belongs to another project").optional(),
    parsedFromText: texts("fields that were JSON within a text, such as `patch.set`").optional(),
    ignored: texts("on a skip: what differs from the existing checkpoint and was not kept").optional(),
    ignoredMetadata: texts("keys of `--metadata` that are Workrail's own").optional(),
    pruned: count("checkpoints removed because the session was full").optional(),
    prunedToTrash: count("checkpoints that went to the trash because the session was full").optional(),
    quotaWarning: text("how full the store is, and what comes of it").optional(),
    secrets: SECRETS.optional().describe("what looks like a secret in it"),
    contextRulesWarning: RULES_WARNING,
    ...STANDING,
  }),
  load: anyObject("the context, exactly as it was saved"),
  show: z.strictObject({ metadata: METADATA, context: CONTEXT }),
  list: objectOf<FindCheckpointsResult>({
    checkpoints: listOf(METADATA, "the newest first"),
    ...PAGE,
    session: SESSION.optional().describe("about the session, when one was asked for"),
    ...STANDING,
  }),
  search: objectOf<SearchCheckpointsResult>({
    hits: listOf(hit, "the best first"),
    loose: mark("none has a word that was asked for: these have words of a phrase, or what means, begins or is spelled alike"),
    indexPending: count("sessions whose newest texts may be missing").optional(),
    meaning: z
      .strictObject({ embedder: z.string(), pending: z.int().optional(), failed: z.string().optional() })
      .optional()
      .describe("what a search by meaning came to: the `embedder`, sessions that are `pending`, and why it `failed`"),
    ...STANDING,
  }),
  resume: z.union([loaded, CANDIDATES]),
  handoff: objectOf<HandoffResult>({
    checkpointId: text("the checkpoint"),
    sessionId: text("its session"),
    markdown: text("the document"),
    tokens: count("what it takes"),
    shortened: count("entries that are shortened in it"),
    leftOut: count("entries that are not in it"),
    ...DROPPED_KEYS,
    fellBackFrom: listOf(UNREADABLE, "newer checkpoints of the session that cannot be read").optional(),
    fellBackFromCount: count("how many those are, when not all are told").optional(),
    validUntil: time("until when nothing removes the original of its own accord").optional(),
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
          .describe("the checkpoint to go on from: `id`, `createdAt`, and `name`, `project`, `workflowId` and `agentId` if it has them"),
      }),
      "the most recently used first",
    ),
    ...PAGE,
  }),
  log: objectOf<TraceSessionResult>({
    session: SESSION,
    headId: text("the latest checkpoint, if one can be gone on from").optional(),
    checkpoints: listOf(
      metadataWith({ children: texts("what continues it"), parentGone: mark("what it continues was removed") }),
      "the newest first: [metadata](#metadata), and",
    ),
    total: count("how many there are, those beyond the limit included"),
  }),
  diff: objectOf<CompareCheckpointsResult>({
    from: compared.describe("[metadata](#metadata) of the older checkpoint, with `tokens`"),
    to: compared.describe("the same of the newer one"),
    entries: listOf(
      objectOf<CompareCheckpointsResult["entries"][number]>({
        key: text("the entry"),
        change: oneOf(["added", "removed", "changed", "moved"], "what became of it"),
        from: comparedEntry.optional().describe("as it was, if it was there"),
        to: comparedEntry.optional().describe("as it is, if it is there"),
      }),
      "what changed",
    ),
    unchanged: count("entries that are the same in both"),
    isReordered: flag("whether the same entries stand in another order"),
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
