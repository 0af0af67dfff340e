import * as z from "zod";
import type { LazyStore } from "../lazy-store.ts";
import { defineTool, type Tool } from "../tool.ts";
import { toCheckpointFailure } from "./checkpoint-failure.ts";
import { briefCheckpoint, fitBriefly, INSTEAD, toBrief } from "./checkpoint-brief.ts";
import { degradation, degradationOf, type WireCheckpoint } from "./checkpoint-fields.ts";
import { NOTE, originOfMany } from "./view-fields.ts";
import { withinTime } from "./within-time.ts";

const input = z.strictObject({
  limit: z.int().optional().describe("Default 10, at most 100"),
  offset: z.int().optional().describe("Default 0"),
  project_path: z.string().optional().describe("Default: all, your own first"),
  sort_by: z.enum(["created_at", "updated_at"]).optional().describe("Newest first"),
});

const output = z.looseObject({
  origin: originOfMany,
  checkpoints: z.array(briefCheckpoint).describe(`Newest first. ${INSTEAD}`),
  total: z.number().describe("How many there are"),
  limit: z.number().describe("As asked for"),
  offset: z.number().describe("As asked for"),
  next_offset: z.number().optional().describe("offset of the next page; absent on the last one"),
  ...degradation,
});

const SORTS = { created_at: "createdAt", updated_at: "updatedAt" } as const;

/** Lists checkpoints of projects and of other tools, newest first. */
export function checkpointList(store: LazyStore): Tool {
  return defineTool({
    name: "checkpoint_list",
    title: "List notes on projects",
    description: "See the latest work in one project or in all.",
    input,
    output,
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    toFailure: toCheckpointFailure,
    async run({ limit, offset, project_path: projectPath, sort_by: sort }) {
      return withinTime(async () => {
        const workrail = await store.get();
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
        return answerOf((await fitBriefly(workrail, checkpoints, toBrief, answerOf)).items);
      }, "Ask for fewer.");
    },
  });
}
