import { cutToTokens } from "@workrail/core";
import * as z from "zod";
import type { LazyStore } from "../lazy-store.ts";
import { defineTool, type Tool } from "../tool.ts";
import { toCheckpointFailure } from "./checkpoint-failure.ts";
import { type Brevity, briefCheckpoint, fitBriefly, INSTEAD, toBrief } from "./checkpoint-brief.ts";
import { degradation, degradationOf } from "./checkpoint-fields.ts";
import { NOTE, originOfMany } from "./view-fields.ts";
import { withinTime } from "./within-time.ts";

const input = z.strictObject({
  query: z.string().describe('Words; a "quoted phrase" as it stands'),
  project_path: z.string().optional().describe("Default: all, your own first"),
  tags: z.array(z.string()).optional().describe("All of them"),
  top_k: z.int().optional().describe("Default 5, at most 100"),
});

const result = z.looseObject({
  checkpoint: briefCheckpoint.describe("What was found"),
  score: z.number().describe("0 to 1"),
  distance: z.number().describe("1 - score"),
  snippet: z.string().optional().describe("A piece of the text with some of the words"),
  by: z.literal("meaning").optional().describe("Similar in meaning, without the words"),
});

type Result = z.output<typeof result>;

const output = z.looseObject({
  origin: originOfMany,
  results: z.array(result).describe(`The best first. ${INSTEAD}`),
  query: z.string().describe("What was searched for"),
  query_truncated: z.literal(true).optional().describe("Only the first 1,000 characters of the query were searched"),
  top_k: z.number().describe("As asked for"),
  loose: z.literal(true).optional().describe("No text has these words: the results have similar words"),
  index_pending: z.number().optional().describe("Sessions that are not indexed yet: what they brought may be missing"),
  results_omitted: z.number().optional().describe("Results that find no room: ask for less, or in other words"),
  ...degradation,
});

/** Finds checkpoints by words, whichever tool saved them. */
export function checkpointSearch(store: LazyStore): Tool {
  return defineTool({
    name: "checkpoint_search",
    title: "Search notes and checkpoints",
    description: "Find earlier work by words, saved by any tool.",
    input,
    output,
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    toFailure: toCheckpointFailure,
    async run({ query, project_path: projectPath, tags, top_k: topK }) {
      return withinTime(async () => {
        const workrail = await store.get();
        const {
          results: found,
          topK: asked,
          query: searched,
          loose,
          indexPending,
          ...rest
        } = await workrail.projectCheckpoints.search({ query, projectPath, tags, topK });
        const itemOf = ({ checkpoint: each, snippet, ...hit }: (typeof found)[number], brevity: Brevity): Result => ({
          checkpoint: toBrief(each, brevity) as Result["checkpoint"],
          ...hit,
          ...(snippet === undefined ? {} : { snippet: cutToTokens(snippet, brevity.snippet) }),
        });
        const answerOf = (results: readonly Result[], brevity: Brevity): z.output<typeof output> => ({
          origin: { note: NOTE },
          results: [...results],
          ...toldQuery(query, cutToTokens(searched, brevity.query)),
          top_k: asked,
          ...(loose === undefined ? {} : { loose }),
          ...(indexPending === undefined ? {} : { index_pending: indexPending }),
          ...(found.length === results.length ? {} : { results_omitted: found.length - results.length }),
          ...degradationOf(rest),
        });
        const { items, brevity } = await fitBriefly(workrail, found, itemOf, answerOf);
        return answerOf(items, brevity);
      }, "Ask for fewer.");
    },
  });
}

function toldQuery(asked: string, query: string): { query: string; query_truncated?: true } {
  return { query, ...(query.length < asked.length ? { query_truncated: true } : {}) };
}
