import * as z from "zod";
import type { LazyStore } from "../lazy-store.ts";
import { defineTool, type Tool, unlisted } from "../tool.ts";
import { toCheckpointFailure } from "./checkpoint-failure.ts";
import { briefCheckpoint, fitBriefly, toBrief } from "./checkpoint-brief.ts";
import { degradation, degradationOf, type WireCheckpoint } from "./checkpoint-fields.ts";
import { details } from "./fields.ts";
import { NOTE, originOfMany } from "./view-fields.ts";
import { withinTime } from "./within-time.ts";

const input = z.strictObject({
  limit: z.int().optional().describe("Default 10"),
  offset: z.int().optional().describe("To skip"),
  project_path: z.string().optional().describe("Default: all"),
  sort_by: z.enum(["created_at", "updated_at"]).optional().describe("Newest first"),
  details: unlisted(details),
});

const output = z.looseObject({
  origin: originOfMany,
  checkpoints: z.array(briefCheckpoint).describe("Newest first, without descriptions"),
  total: z.number().describe("Number of matches"),
  limit: z.number().describe("As requested"),
  offset: z.number().describe("As requested"),
  next_offset: z.number().optional().describe("Offset of the next page"),
  ...degradation,
});

const SORTS = { created_at: "createdAt", updated_at: "updatedAt" } as const;

/** Lists checkpoints of projects and of other tools, newest first. */
export function checkpointList(store: LazyStore): Tool {
  return defineTool({
    name: "checkpoint_list",
    title: "List notes on projects",
    description: "See the latest work in one project, or in all.",
    input,
    output,
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    toFailure: toCheckpointFailure,
    async run({ limit, offset, project_path: projectPath, sort_by: sort, details: isDetailed = false }, call) {
      return withinTime(async () => {
        const workrail = await store.get(call);
        const sortBy = sort === undefined ? undefined : SORTS[sort];
        const { checkpoints, ...page } = await workrail.projectCheckpoints.list({ limit, offset, projectPath, sortBy });
        const answerOf = (listed: readonly Partial<WireCheckpoint>[]): z.output<typeof output> => {
          const next = page.offset + listed.length;
          return {
            origin: { note: NOTE },
            checkpoints: listed as z.output<typeof briefCheckpoint>[],
            total: page.total,
            limit: page.limit,
            offset: page.offset,
            ...degradationOf(page),
            ...(next < page.total && checkpoints.length > 0 ? { next_offset: next } : {}),
          };
        };
        return answerOf(
          (await fitBriefly(workrail, checkpoints, { itemOf: (each, brevity) => toBrief(each, brevity, isDetailed), answerOf })).items,
        );
      }, "Ask for fewer.");
    },
  });
}
