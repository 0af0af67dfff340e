import { type JsonObject, WorkrailError } from "@workrail/core";
import type { CreateProjectCheckpoint } from "@workrail/runtime";
import * as z from "zod";
import type { LazyStore } from "../lazy-store.ts";
import { isFlat, written } from "../right-call.ts";
import { defineTool, jsonObject, type Tool } from "../tool.ts";
import { toCheckpointFailure } from "./checkpoint-failure.ts";
import { checkpointShape, degradation, degradationOf } from "./checkpoint-fields.ts";
import { pageOf } from "./checkpoint-page.ts";
import { secrets } from "./fields.ts";
import { withinTime } from "./within-time.ts";

const input = z.strictObject({
  summary: z.string().describe("At most 500 characters"),
  description: z.string().optional().describe("Optional details"),
  project_path: z.string().describe("Absolute directory"),
  context: jsonObject().optional().describe("Flat: branch, commit"),
  tags: z.array(z.string()).optional().describe("To filter by"),
});

const output = z.looseObject({
  ...checkpointShape,
  quota_warning: z.string().optional().describe("Tell your user"),
  secrets: secrets.optional(),
  ...degradation,
});

const HINT = "It may still be saved: check with checkpoint_list before you save again.";

/** Saves a new checkpoint of a project. */
export function checkpointSave(store: LazyStore): Tool {
  return defineTool({
    name: "checkpoint_save",
    title: "Save a note on a project",
    description: "Note work done in a project, to find it again by its words.",
    input,
    output,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    toFailure: toCheckpointFailure,
    async run({ summary, description, project_path: projectPath, context, tags }, call) {
      if (context !== undefined && !isFlat(context)) throw isState(context, summary, tags);
      return withinTime(async () => {
        const workrail = await store.get(call);
        const draft = { summary, description, projectPath, context, tags, agentId: call.client?.name, isRateLimited: true };
        const saved = await workrail.projectCheckpoints.create(draft as CreateProjectCheckpoint);
        const { quotaWarning, secrets: found } = saved;
        const more = {
          ...(quotaWarning === undefined ? {} : { quota_warning: quotaWarning }),
          ...(found === undefined ? {} : { secrets: found }),
          ...degradationOf(saved),
        };
        const { next_offset: _forGet, how: _forGetToo, ...page } = await pageOf(workrail, saved, { more });
        return { ...page, ...more };
      }, HINT);
    },
  });
}

/** Error for a nested state, which has its own tool. */
function isState(context: JsonObject, summary: string, tags: readonly string[] | undefined): WorkrailError {
  const metadata = { name: summary, ...(tags === undefined ? {} : { tags }) };
  const meant = `To save a state call ${written({ name: "workflow_checkpoint_save" }, { context, metadata })}`;
  const rule = "each value of context must be a text, a number, true, false or null";
  return new WorkrailError("INVALID_INPUT", rule, { hint: meant, details: { field: "context", rule, meant } });
}
