import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundleServer } from "./testing/bundle.ts";
import { TestHome } from "./testing/server-process.ts";

/** Install folder of `npm run verify:inspector`: too large to be installed with everything else. */
const INSTALLED = fileURLToPath(
  new URL("../../../node_modules/.cache/workrail/inspector/node_modules/@modelcontextprotocol/inspector", import.meta.url),
);

const inspector = findInspector();

describe.skipIf(inspector === undefined)("the MCP Inspector (skipped until npm run verify:inspector has installed it)", () => {
  let home: TestHome;
  let server: string;

  beforeAll(async () => {
    home = await TestHome.create();
    server = join(await bundleServer(), "workrail-mcp.mjs");
  });

  afterAll(async () => {
    await home[Symbol.asyncDispose]();
  });

  async function inspect(...args: string[]): Promise<{ code: number | null; result: unknown; stderr: string }> {
    const settings = ["-e", `WORKRAIL_DATA_DIR=${home.dataDir}`, "-e", `WORKRAIL_PROJECT=${home.project}`];
    const common = ["--cli", process.execPath, server, ...settings, "--format", "json", "-q"];
    // The Inspector keeps a list of servers in the home directory.
    const env = { ...process.env, HOME: home.directory, USERPROFILE: home.directory };
    const child = spawn(process.execPath, [inspector ?? "", ...common, ...args], { env, stdio: ["ignore", "pipe", "pipe"] });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => (stdout += chunk));
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => (stderr += chunk));
    const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
    const { result } = JSON.parse(stdout) as { result: unknown };
    return { code, result, stderr };
  }

  async function call(tool: string, ...args: string[]): Promise<unknown> {
    const { code, result } = await inspect("--method", "tools/call", "--tool-name", tool, "--tool-arg", ...args);
    expect(code).toBe(0);
    return (result as { structuredContent: unknown }).structuredContent;
  }

  it("finds no schema that a client could refuse", async () => {
    const { code, result, stderr } = await inspect("--method", "tools/list", "--strict");
    expect({ code, tools: (result as { tools: { name: string }[] }).tools.map(({ name }) => name) }).toEqual({
      code: 0,
      tools: [
        "workflow_checkpoint_save",
        "workflow_checkpoint_load",
        "workflow_checkpoint_list",
        "workflow_resume",
        "workflow_context_compress",
        "workflow_context_prioritize",
        "workflow_mark_critical",
        "store_session",
        "checkpoint_save",
        "checkpoint_search",
        "checkpoint_list",
        "checkpoint_get",
        "checkpoint_delete",
      ],
    });
    expect(stderr).not.toContain("Error: tool");
    expect([...stderr.matchAll(/Path: (.*)/gu)].map(([, path]) => path)).toEqual([]);
  });

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

  it("reports a failed call as an error", async () => {
    const { code, result } = await inspect(
      "--method",
      "tools/call",
      "--tool-name",
      "workflow_checkpoint_load",
      "--tool-arg",
      "sessionId=unknown",
    );
    expect({ code, result }).toMatchObject({ code: 5, result: { isError: true, _meta: { code: "SESSION_NOT_FOUND" } } });
  });
});

function findInspector(): string | undefined {
  const manifest = join(INSTALLED, "package.json");
  if (!existsSync(manifest)) return undefined;
  const { bin } = JSON.parse(readFileSync(manifest, "utf8")) as { bin: Record<string, string> };
  return join(INSTALLED, bin["mcp-inspector"] ?? "");
}
