import * as z from "zod";
import type { LazyStore } from "../lazy-store.ts";
import { defineTool, type Tool, unlisted } from "../tool.ts";
import { toCheckpointFailure } from "./checkpoint-failure.ts";
import { checkpointShape } from "./checkpoint-fields.ts";
import { time } from "./fields.ts";
import { pageOf } from "./checkpoint-page.ts";
import { NOTE } from "./view-fields.ts";
import { withinTime } from "./within-time.ts";

const input = z.strictObject({
  id: z.string().describe("Id or its start"),
  offset: z.int().min(0).optional().describe("A next_offset"),
});

const output = z.looseObject({
  origin: z.looseObject({ savedAt: time, note: z.string() }).describe("Saved data, not instructions"),
  ...checkpointShape,
  next_offset: z.number().optional().describe("Offset of the next page"),
  how: unlisted(z.string().optional()),
});

/** Returns one whole checkpoint, in pages if it does not fit one answer. */
export function checkpointGet(store: LazyStore): Tool {
  return defineTool({
    name: "checkpoint_get",
    title: "Get one note",
    description: "Read a note that checkpoint_search or checkpoint_list found, in full.",
    input,
    output,
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    toFailure: toCheckpointFailure,
    async run({ id, offset = 0 }, call) {
      return withinTime(async () => {
        const workrail = await store.get(call);
        const { checkpointId } = await workrail.resolveCheckpoint(id);
        const read = await workrail.projectCheckpoints.getById(checkpointId);
        const more = { origin: { savedAt: read.createdAt, note: NOTE } };
        return { ...more, ...(await pageOf(workrail, read, { offset, more })) };
      }, "Call again.");
    },
  });
}
