import { join } from "node:path";
import process from "node:process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundleServer } from "../../../apps/mcp-server/src/testing/bundle.ts";
import { HttpFixture } from "../../../apps/mcp-server/src/testing/http-fixture.ts";
import { TestHome } from "../../../apps/mcp-server/src/testing/server-process.ts";
import { InspectorProcess } from "./programs/inspector.ts";

describe("the MCP Inspector", () => {
  let home: TestHome;
  let server: HttpFixture;
  let inspector: InspectorProcess;

  beforeAll(async () => {
    home = await TestHome.create();
    const args = [join(await bundleServer(), "workrail-mcp.mjs"), "--http", "0"];
    const program = { command: process.execPath, args, cwd: home.project };
    server = await HttpFixture.start({ program, env: { WORKRAIL_DATA_DIR: home.dataDir, WORKRAIL_PROJECT: home.project } });
    inspector = new InspectorProcess(home.directory);
  });

  afterAll(async () => {
    await inspector.close();
    await server[Symbol.asyncDispose]();
    await home[Symbol.asyncDispose]();
  });

  async function call(tool: string, ...args: string[]): Promise<unknown> {
    const { code, result } = await inspector.call({ way: "HTTP", url: server.url }, tool, args);
    expect(code).toBe(0);
    return result.structuredContent;
  }

  it("calls each tool", async () => {
    const save = [
      "sessionId=inspected",
      'context={"goal":"g","list":[1]}',
      'metadata={"name":"n","tags":["t"]}',
      "force=true",
      "phase=unlisted",
    ];
    expect(await call("workflow_checkpoint_save", ...save)).toMatchObject({ status: "SAVED", sessionId: "inspected" });
    expect(await call("workflow_checkpoint_load", "sessionId=inspected", 'keys=["goal",["list",0]]')).toMatchObject({
      context: { goal: "g" },
      values: [{ path: ["list", 0], value: 1 }],
    });
    expect(await call("workflow_checkpoint_list", "limit=5", 'tags=["t"]')).toMatchObject({
      total: 1,
      limit: 5,
      checkpoints: [{ metadata: { phase: "unlisted" } }],
    });
    expect(await call("workflow_resume", "hint=inspected")).toMatchObject({
      status: "CANDIDATES",
      candidates: [{ sessionId: "inspected" }],
    });
    expect(await call("workflow_context_compress", "sessionId=inspected", "budgetTokens=200")).toMatchObject({ context: { goal: "g" } });
    expect(await call("workflow_context_prioritize", "sessionId=inspected", "dryRun=true", "details=true")).toMatchObject({
      sessionId: "inspected",
    });
    expect(await call("workflow_mark_critical", "sessionId=inspected", "contextKey=goal")).toMatchObject({ status: "SUCCESS" });
    expect(await call("store_session", "conversation=User: hello", "topic=Hello")).toMatchObject({ success: true, topic: "hello" });
    const note = await call("checkpoint_save", "summary=s", `project_path=${home.project}`, 'context={"branch":"main"}', 'tags=["t"]');
    const id = `id=${(note as { id: string }).id}`;
    const { description: _empty, token_count: _tokens, updated_at: _same, ...brief } = note as Record<string, unknown>;
    // Checkpoints of other tools are listed too: the checkpoint and the conversation.
    expect(await call("checkpoint_list", "limit=1", "sort_by=created_at")).toMatchObject({ total: 3, checkpoints: [brief] });
    expect(await call("checkpoint_search", "query=main", 'tags=["t"]', "top_k=3")).toMatchObject({
      results: [{ checkpoint: brief }],
      top_k: 3,
    });
    expect(await call("checkpoint_get", id, "offset=0")).toEqual({ ...(note as object), origin: expect.any(Object) });
    expect(await call("checkpoint_delete", id)).toMatchObject({ deleted: true });
  });
});
