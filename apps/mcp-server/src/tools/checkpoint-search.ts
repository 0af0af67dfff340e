import { cutToTokens } from "@workrail/core";
import * as z from "zod";
import type { LazyStore } from "../lazy-store.ts";
import { defineTool, type Tool, unlisted } from "../tool.ts";
import { toCheckpointFailure } from "./checkpoint-failure.ts";
import { type ItemSize, briefCheckpoint, fitBriefly, toBrief } from "./checkpoint-brief.ts";
import { degradation, degradationOf } from "./checkpoint-fields.ts";
import { details } from "./fields.ts";
import { NOTE, originOfMany } from "./view-fields.ts";
import { withinTime } from "./within-time.ts";

const input = z.strictObject({
  query: z.string().describe('Words, "exact phrases"'),
  project_path: z.string().optional().describe("Default: all"),
  tags: z.array(z.string()).optional().describe("All of them"),
  top_k: z.int().optional().describe("Default 5"),
  details: unlisted(details),
});

const result = z.looseObject({
  checkpoint: briefCheckpoint,
  score: z.number(),
  distance: z.number(),
  snippet: z.string().optional(),
  by: z.literal("meaning").optional(),
});

type Result = z.output<typeof result>;

const output = z.looseObject({
  origin: originOfMany,
  results: z.array(result).describe("Best first, each {checkpoint, score, distance, snippet}"),
  query: z.string().describe("As searched"),
  query_truncated: unlisted(z.literal(true).optional()),
  top_k: z.number().describe("As requested"),
  loose: z.literal(true).optional().describe("Only similar words matched"),
  index_pending: unlisted(z.number().optional()),
  results_omitted: z.number().optional().describe("Omitted for size"),
  ...degradation,
});

/** Finds checkpoints by words, whichever tool saved them. */
export function checkpointSearch(store: LazyStore): Tool {
  return defineTool({
    name: "checkpoint_search",
    title: "Search notes and checkpoints",
    description: "Find earlier work by its words, whichever tool saved it.",
    input,
    output,
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    toFailure: toCheckpointFailure,
    async run({ query, project_path: projectPath, tags, top_k: topK, details: isDetailed = false }, call) {
      return withinTime(async () => {
        const workrail = await store.get(call);
        const {
          results: found,
          topK: asked,
          query: searched,
          loose,
          indexPending,
          ...rest
        } = await workrail.projectCheckpoints.search({
          query,
          projectPath,
          tags,
          topK,
          signal: call.signal,
          onProgress: ({ done, total }) => call.progress?.({ done, total, message: "Indexing for search" }),
        });
        const itemOf = ({ checkpoint: each, snippet, ...hit }: (typeof found)[number], brevity: ItemSize): Result => ({
          checkpoint: toBrief(each, brevity, isDetailed) as Result["checkpoint"],
          ...hit,
          ...(snippet === undefined ? {} : { snippet: cutToTokens(snippet, brevity.snippet) }),
        });
        const answerOf = (results: readonly Result[], brevity: ItemSize): z.output<typeof output> => ({
          origin: { note: NOTE },
          results: [...results],
          ...toldQuery(query, cutToTokens(searched, brevity.query)),
          top_k: asked,
          ...(loose === undefined ? {} : { loose }),
          ...(indexPending === undefined ? {} : { index_pending: indexPending }),
          ...(found.length === results.length ? {} : { results_omitted: found.length - results.length }),
          ...degradationOf(rest),
        });
        const { items, brevity } = await fitBriefly(workrail, found, { itemOf, answerOf });
        return answerOf(items, brevity);
      }, "Ask for fewer.");
    },
  });
}

function toldQuery(asked: string, query: string): { query: string; query_truncated?: true } {
  return { query, ...(query.length < asked.length ? { query_truncated: true } : {}) };
}
