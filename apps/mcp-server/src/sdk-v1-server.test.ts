import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { type CallToolResult, CallToolResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fixtureTools } from "./testing/fixture-tools.ts";
import { fixtureCommand } from "./testing/raw-client.ts";

describe("SdkV1Server, called by the library's own client", () => {
  const client = new Client({ name: "test-client", version: "9.9" });

  beforeAll(async () => {
    await client.connect(new StdioClientTransport({ command: fixtureCommand.command, args: [...fixtureCommand.args], stderr: "ignore" }));
    // After listing, the client checks every result against the schema.
    await client.listTools();
  });

  afterAll(async () => {
    await client.close();
  });

  async function call(name: string, given: Record<string, unknown> = {}): Promise<CallToolResult> {
    return (await client.callTool({ name, arguments: given })) as CallToolResult;
  }

  it("introduces itself", () => {
    expect(client.getServerVersion()).toEqual({ name: "fixture", title: "Fixture", version: "1.2.3" });
    expect(client.getInstructions()).toBe("Use echo to hear yourself.");
    expect(client.getServerCapabilities()).toEqual({ tools: {} });
  });

  it("lists the tools with their schemas, annotations and _meta", async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(fixtureTools.map(({ name }) => name));
    expect(tools[0]).toMatchObject({
      title: "Echo",
      annotations: { title: "Echo", readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
      _meta: { "anthropic/alwaysLoad": true },
    });
  });

  it("returns the result as structured content and as the same JSON text, and knows the client", async () => {
    const result = await call("echo", { userContext: { a: [1, null] } });
    const expected = { userContext: { a: [1, null] }, client: "test-client 9.9" };
    expect(result).toEqual({ content: [{ type: "text", text: JSON.stringify(expected) }], structuredContent: expected });
  });

  it("runs a call that asks for a task like any other, because it offers no tasks", async () => {
    const params = { name: "echo", arguments: { userContext: { a: 1 } }, task: { ttl: 60_000 } };
    const result = await client.request({ method: "tools/call", params }, CallToolResultSchema);
    expect(result.structuredContent).toMatchObject({ userContext: { a: 1 } });
  });

  it("adds the _meta of a result", async () => {
    const result = await call("echo", { userContext: { unchanged: true } });
    expect(result._meta).toEqual({ code: "CONTEXT_UNCHANGED", httpStatus: 200 });
  });

  it("returns a failure as text and _meta, never as structured content", async () => {
    expect(await call("fail_coded")).toEqual({
      content: [{ type: "text", text: "CHECKPOINT_NOT_FOUND: there is no checkpoint abc. List the checkpoints first." }],
      isError: true,
      _meta: { code: "CHECKPOINT_NOT_FOUND", httpStatus: 404, details: { checkpointId: "abc" } },
    });
  });

  it.each(["fail_unforeseen", "answer_badly"])("hides the cause of an unexpected failure (%s)", async (name) => {
    const result = await call(name);
    expect(result.isError).toBe(true);
    expect(result._meta).toEqual({ code: "INTERNAL", httpStatus: 500, details: {} });
    expect(JSON.stringify(result)).not.toContain("secret");
  });

  it("names a missing argument", async () => {
    const result = await call("echo");
    expect(result.content).toEqual([
      {
        type: "text",
        text: "INVALID_INPUT: userContext is required and must be an object. Correct this and call echo again; it takes: userContext, max_items, mode, tags, paths.",
      },
    ]);
    expect(result._meta).toMatchObject({ code: "INVALID_INPUT", httpStatus: 400 });
    expect(result.structuredContent).toBeUndefined();
  });

  it("refuses an unknown tool with a protocol error", async () => {
    await expect(call("nope")).rejects.toThrow(/-32602: Unknown tool "nope"\. The tools of this server are: echo, hold/u);
  });

  it("answers a ping", async () => {
    expect(await client.ping()).toEqual({});
  });
});
