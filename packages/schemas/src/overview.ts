import type { HandoffResult, ListSessionsResult, SearchCheckpointsResult, TraceSessionResult } from "@workrail/runtime";
import * as z from "zod";
import { count, figure, listOf, mark, objectOf, type ResultSchema, text, texts, time } from "./fields.ts";
import { DROPPED_KEYS } from "./saving.ts";
import { METADATA, metadataWith, PAGE, OTHER_PROJECT, RULES_WARNING, SESSION, sessionWith, STANDING, UNREADABLE } from "./shapes.ts";

const hit = objectOf<SearchCheckpointsResult["hits"][number]>({
  checkpoint: METADATA,
  head: text("the latest of its session"),
  score: figure("relevance from 0 to 1"),
  distance: figure("`1 - score`"),
  snippet: text("a piece of its text").optional(),
  by: z.literal("meaning").optional().describe("`meaning`: found by meaning, not by words"),
});

export const SEARCH_RESULT: ResultSchema<SearchCheckpointsResult> = objectOf<SearchCheckpointsResult>({
  hits: listOf(hit, "the best first"),
  loose: mark("no hit has a word of the question: they have words of a phrase, or synonyms, beginnings or similar spellings"),
  indexPending: count("sessions whose newest texts may be missing").optional(),
  meaning: z
    .strictObject({ embedder: z.string(), pending: z.int().optional(), failed: z.string().optional() })
    .optional()
    .describe("result of the search by meaning: the `embedder`, number of `pending` sessions, and why it `failed`"),
  ...STANDING,
});

export const HANDOFF_RESULT: ResultSchema<HandoffResult> = objectOf<HandoffResult>({
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
});

export const SESSIONS_RESULT: ResultSchema<ListSessionsResult> = objectOf<ListSessionsResult>({
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
});

export const TRACE_RESULT: ResultSchema<TraceSessionResult> = objectOf<TraceSessionResult>({
  session: SESSION,
  headId: text("the latest readable checkpoint, if any").optional(),
  checkpoints: listOf(
    metadataWith({ children: texts("its child checkpoints"), parentGone: mark("its parent was removed") }),
    "the newest first: [metadata](#metadata), and",
  ),
  total: count("their number, including those beyond the limit"),
});
