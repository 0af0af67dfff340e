import * as z from "zod";
import type { LazyStore } from "../lazy-store.ts";
import { defineTool, type Tool } from "../tool.ts";
import { toCheckpointFailure } from "./checkpoint-failure.ts";
import { withinTime } from "./within-time.ts";

const input = z.strictObject({ id: z.string().describe("Id or its start") });

const output = z.looseObject({
  id: z.string().describe("The erased checkpoint"),
  deleted: z.literal(true).describe("It is erased"),
  left: z.array(z.string()).optional().describe("Still to erase"),
});

/** Erases one checkpoint. */
export function checkpointDelete(store: LazyStore): Tool {
  return defineTool({
    name: "checkpoint_delete",
    title: "Delete one note",
    description: "Erase a checkpoint for good.",
    input,
    output,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    toFailure: toCheckpointFailure,
    async run({ id }, call) {
      return withinTime(async () => {
        const workrail = await store.get(call);
        const { checkpointId } = await workrail.resolveCheckpoint(id);
        const { left } = await workrail.projectCheckpoints.delete(checkpointId, { agentId: call.client?.name });
        return { id: checkpointId, deleted: true as const, ...(left.length === 0 ? {} : { left: [...left] }) };
      }, "It may still be deleted: look with checkpoint_get.");
    },
  });
}
