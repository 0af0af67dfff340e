import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Fields } from "../testing/contextd.ts";
import { ServerProcess } from "../testing/server-process.ts";
import { LazyStore } from "../lazy-store.ts";
import { listTool, type ToolListing } from "../tool-listing.ts";
import { createTools } from "./index.ts";

/** The fields that a specification names for a tool. */
interface Specified {
  /** Parameters by name, with their types. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Parameters that a call must have here. */
  readonly required?: readonly string[];
  /** Paths of the fields in an answer to a call without `details`; `[]` is the first item of a list. */
  readonly always: readonly string[];
  /** Paths of the optional fields that need `details`. */
  readonly withDetails?: readonly string[];
}

const CHECKPOINT = ["id", "summary", "description", "project_path", "context", "tags", "token_count", "created_at", "updated_at"];
const IN_A_LIST = CHECKPOINT.filter((field) => !["description", "token_count", "updated_at"].includes(field));

/** The specifications of Workrail, contextd and CodeArchitect. */
const SPECIFIED: Readonly<Record<string, Specified>> = {
  workflow_checkpoint_save: {
    parameters: { sessionId: "string", context: "object", metadata: "object", force: "boolean" },
    always: ["checkpointId", "sessionId", "status"],
    withDetails: ["sizeBytes"],
  },
  workflow_checkpoint_load: {
    parameters: { checkpointId: "string", sessionId: "string" },
    always: ["checkpointId", "sessionId", "context", "metadata"],
  },
  workflow_checkpoint_list: {
    parameters: {
      sessionId: "string",
      limit: "integer",
      offset: "integer",
      // The design: "supports filtering by workflow, time, etc.", and by keywords in tags, names and metadata.
      workflowId: "string",
      since: "string",
      tags: "array",
      query: "string",
    },
    always: ["checkpointId", "sessionId", "createdAt", "metadata"].map((field) => `checkpoints[].${field}`),
    withDetails: ["checkpoints[].sizeBytes"],
  },
  workflow_context_compress: { parameters: { context: "object", strategy: "string" }, always: ["context"] },
  workflow_context_prioritize: { parameters: { context: "object", budgets: "object" }, always: ["context"] },
  workflow_mark_critical: { parameters: { contextKey: "string" }, required: ["contextKey"], always: ["status", "message"] },
  store_session: {
    parameters: { conversation: "string or array", topic: "string", format: "string" },
    required: ["conversation"],
    always: ["success", "file", "filename", "topic", "date", "message"],
  },
  checkpoint_save: {
    parameters: { summary: "string", description: "string", project_path: "string", context: "object", tags: "array" },
    required: ["summary", "project_path"],
    always: CHECKPOINT,
  },
  checkpoint_search: {
    parameters: { query: "string", project_path: "string", tags: "array", top_k: "integer" },
    required: ["query"],
    always: [...IN_A_LIST.map((field) => `results[].checkpoint.${field}`), "results[].score", "results[].distance", "query", "top_k"],
    withDetails: ["results[].checkpoint.token_count", "results[].checkpoint.updated_at"],
  },
  checkpoint_list: {
    parameters: { limit: "integer", offset: "integer", project_path: "string", sort_by: "string" },
    always: [...IN_A_LIST.map((field) => `checkpoints[].${field}`), "total", "limit", "offset"],
    withDetails: ["checkpoints[].token_count", "checkpoints[].updated_at"],
  },
  checkpoint_get: { parameters: { id: "string" }, required: ["id"], always: CHECKPOINT },
};

const tools = createTools(new LazyStore(() => Promise.reject(new Error("no tool is called here"))));
const listings = new Map(tools.map((tool) => [tool.name, listTool(tool)]));

describe.each(Object.entries(SPECIFIED))("%s", (name, { parameters, required = [], always, withDetails = [] }) => {
  const { inputSchema, outputSchema } = listings.get(name) as ToolListing;

  it("lists every parameter of its specification, each described", () => {
    const listed: Readonly<Record<string, { readonly description?: string }>> = inputSchema.properties ?? {};
    for (const [parameter, type] of Object.entries(parameters)) {
      const { description, ...schema } = listed[parameter] ?? {};
      expect(typeOf(schema), parameter).toBe(type);
      expect(description, parameter).toMatch(/\S/u);
    }
    expect(inputSchema.required ?? []).toEqual(required);
  });

  it("lists every field of the result that its specification names", () => {
    const tops = [...always, ...withDetails].map((field) => field.replace(/\[\].*/u, ""));
    expect(Object.keys(outputSchema.properties ?? {})).toEqual(expect.arrayContaining(tops));
    expect(outputSchema.required).toEqual(expect.arrayContaining(always.map((field) => field.replace(/\[\].*/u, ""))));
  });
});

function typeOf(schema: { readonly type?: string; readonly anyOf?: readonly { readonly type?: string }[] }): string | undefined {
  return schema.type ?? schema.anyOf?.map(({ type }) => type).join(" or ");
}

describe("an answer", () => {
  let server: ServerProcess;
  const calls: Record<string, Fields> = {};

  beforeAll(async () => {
    server = await ServerProcess.start();
    const project_path = server.home.project;
    const { id } = await server.ok("checkpoint_save", note(project_path, "first"));
    const { sessionId } = await server.ok("workflow_checkpoint_save", { context: { goal: "Ship" } });
    Object.assign(calls, {
      workflow_checkpoint_save: { sessionId, context: { goal: "Ship it" } },
      workflow_checkpoint_load: { sessionId },
      workflow_checkpoint_list: { sessionId },
      workflow_context_compress: { context: { goal: "Ship" } },
      workflow_context_prioritize: { context: { goal: "Ship" } },
      workflow_mark_critical: { sessionId, contextKey: "goal" },
      store_session: { conversation: "User: hello" },
      checkpoint_save: note(project_path, "second"),
      checkpoint_search: { query: "authentication", project_path },
      checkpoint_list: { project_path },
      checkpoint_get: { id },
    });
  });

  afterAll(async () => {
    await server[Symbol.asyncDispose]();
  });

  it.each(Object.entries(SPECIFIED))("of %s has the fields of its specification", async (name, { always, withDetails = [] }) => {
    const brief = await server.ok(name, calls[name]);
    expect(always.filter((field) => !has(brief, field))).toEqual([]);
    expect(withDetails.filter((field) => has(brief, field))).toEqual([]);
    if (withDetails.length === 0) return;
    const again = name === "workflow_checkpoint_save" ? { ...calls[name], force: true } : calls[name];
    const detailed = await server.ok(name, { ...again, details: true });
    expect([...always, ...withDetails].filter((field) => !has(detailed, field))).toEqual([]);
  });
});

function note(project_path: string, nth: string): Fields {
  return {
    summary: `Implemented authentication, ${nth} part`,
    description: "With JWT.",
    project_path,
    context: { branch: "auth" },
    tags: ["auth"],
  };
}

function has(answer: unknown, path: string): boolean {
  let value = answer;
  for (const part of path.split(".")) {
    value = (value as Fields | undefined)?.[part.replace("[]", "")];
    if (part.endsWith("[]")) value = (value as readonly unknown[] | undefined)?.[0];
  }
  return value !== undefined;
}
