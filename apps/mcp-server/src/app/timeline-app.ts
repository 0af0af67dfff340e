import { isWorkrailError, WorkrailError } from "@workrail/core";
import { findProject } from "@workrail/runtime";
import type { CleanUpRules } from "@workrail/timeline";
import { PAGE_MIME_TYPE, PAGE_RESOURCE, PAGE_TOOL } from "@workrail/timeline/tool";
import * as z from "zod";
import type { LazyStore } from "../lazy-store.ts";
import type { Resource } from "../resource.ts";
import { defineTool, type Tool } from "../tool.ts";

/** A page that a host shows to the person, and the tool that carries its calls. Offered to hosts that show pages, and to no other. */
export interface PageOffer {
  readonly resource: Resource;
  /** Only the page calls it. */
  readonly tool: Tool;
  /** Tools whose results the page shows. */
  readonly openedBy: ReadonlySet<string>;
}

const input = z.strictObject({
  call: z.string().describe("Name of the call"),
  params: z.record(z.string(), z.unknown()).optional().describe("Its parameters"),
});
const output = z.looseObject({ answer: z.unknown().describe("The answer") });

/** The timeline page. It only reads. */
export function timelineApp(store: LazyStore, rules?: CleanUpRules): PageOffer {
  const resource: Resource = {
    uri: PAGE_RESOURCE,
    name: "timeline",
    title: "Timeline",
    description: "Sessions, checkpoints and their changes, for people",
    mimeType: PAGE_MIME_TYPE,
    read: async () => (await import("@workrail/timeline/app")).readApp(),
  };
  const tool = defineTool({
    name: PAGE_TOOL,
    title: "Data of the timeline page",
    description: "Carries the calls of the timeline page.",
    input,
    output,
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    meta: { ui: { resourceUri: PAGE_RESOURCE, visibility: ["app"] } },
    async run({ call, params = {} }, { signal, progress }) {
      const { answerCall, CALLS, isCallName } = await import("@workrail/timeline");
      if (!isCallName(call) || CALLS[call].writes) throw noSuchCall(call);
      const ports = {
        store: await store.get({ signal, progress }),
        project: findProject(process.cwd()),
        rules,
        mayWrite: false,
        now: () => new Date(),
      };
      try {
        return { answer: await answerCall(ports, call, params) };
      } catch (error) {
        if (error instanceof z.ZodError && !isWorkrailError(error)) throw wrongParams(call, error);
        throw error;
      }
    },
  });
  return { resource, tool, openedBy: new Set(["workflow_checkpoint_list", "workflow_resume", "checkpoint_search"]) };
}

function noSuchCall(call: string): WorkrailError {
  return new WorkrailError("INVALID_INPUT", `The page has no call ${call.slice(0, 40)} that reads.`, { details: { field: "call" } });
}

function wrongParams(call: string, cause: unknown): WorkrailError {
  return new WorkrailError("INVALID_INPUT", `The call ${call} has wrong parameters.`, { cause, details: { field: "params" } });
}
