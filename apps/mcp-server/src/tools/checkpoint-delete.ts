import { isWorkrailError } from "@workrail/core";
import type { Workrail } from "@workrail/runtime";
import * as z from "zod";
import type { LazyStore } from "../lazy-store.ts";
import { type Ask, forQuestion } from "../question.ts";
import { defineTool, type Tool, unlisted } from "../tool.ts";
import { toCheckpointFailure } from "./checkpoint-failure.ts";
import { withinTime } from "./within-time.ts";

const input = z.strictObject({
  id: z.string().describe("Id or its start"),
  confirm: unlisted(z.literal(true).optional()),
});

const output = z.looseObject({
  id: z.string().describe("The checkpoint"),
  deleted: z.boolean().describe("False: the person kept it"),
  left: z.array(z.string()).optional().describe("Still to erase"),
});

/** Erases one checkpoint. The person confirms it where the client can ask. */
export function checkpointDelete(store: LazyStore): Tool {
  return defineTool({
    name: "checkpoint_delete",
    title: "Delete one note",
    description: "Erase a checkpoint for good.",
    input,
    output,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    toFailure: toCheckpointFailure,
    async run({ id, confirm }, call) {
      const ask = confirm === true ? undefined : call.ask;
      const { workrail, checkpointId, summary } = await withinTime(async () => {
        const opened = await store.get(call);
        const found = await opened.resolveCheckpoint(id);
        return { ...found, workrail: opened, summary: ask === undefined ? undefined : await summaryOf(opened, found.checkpointId) };
      }, "Call again.");
      // The person may take longer than a call of contextd.
      if (ask !== undefined && !(await isConfirmed(ask, summary ?? checkpointId))) return { id: checkpointId, deleted: false };
      return withinTime(async () => {
        const { left } = await workrail.projectCheckpoints.delete(checkpointId, { agentId: call.client?.name });
        return { id: checkpointId, deleted: true, ...(left.length === 0 ? {} : { left: [...left] }) };
      }, "It may still be deleted: look with checkpoint_get.");
    },
  });
}

/** Returns the label of a checkpoint for people; `undefined` for one in the trash. */
async function summaryOf(workrail: Workrail, checkpointId: string): Promise<string | undefined> {
  try {
    const { summary, createdAt } = await workrail.projectCheckpoints.getById(checkpointId);
    return `${forQuestion(summary)} (saved ${createdAt})`;
  } catch (error) {
    if (isWorkrailError(error) && error.code === "CHECKPOINT_NOT_FOUND") return undefined;
    throw error;
  }
}

async function isConfirmed(ask: Ask, checkpoint: string): Promise<boolean> {
  const choices = [
    { value: "erase", title: "Erase it" },
    { value: "keep", title: "Keep it" },
  ];
  return (await ask({ name: "erase", text: `Erase this checkpoint for good? ${checkpoint}`, choices })) === "erase";
}
