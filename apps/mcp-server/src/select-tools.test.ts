import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bundleServer } from "./testing/bundle.ts";
import { ServerProcess } from "./testing/server-process.ts";

async function namesWith(...args: readonly string[]): Promise<readonly string[]> {
  await using server = await ServerProcess.start({ args });
  return (await server.client.listTools()).tools.map(({ name }) => name);
}

describe("the tools that a server offers", () => {
  it("are the tools of its toolsets", async () => {
    expect(await namesWith("--toolsets=project,sessions")).toEqual([
      "store_session",
      "checkpoint_save",
      "checkpoint_search",
      "checkpoint_list",
      "checkpoint_get",
      "checkpoint_delete",
    ]);
  });

  it("are the named tools, in addition to the toolsets", async () => {
    expect(await namesWith("--tools", "workflow_resume, checkpoint_save")).toEqual(["workflow_resume", "checkpoint_save"]);
    expect(await namesWith("--toolsets=sessions", "--tools=workflow_resume")).toEqual(["workflow_resume", "store_session"]);
  });

  it("are never more than the reading ones on a server that only reads", async () => {
    const names = await namesWith("--toolsets=project", "--read-only");
    expect(names).toContain("checkpoint_search");
    expect(names).not.toContain("checkpoint_save");
  });

  it("cannot be called when they are not offered", async () => {
    await using server = await ServerProcess.start({ args: ["--toolsets=project"] });
    await expect(server.client.callTool({ name: "workflow_resume", arguments: {} })).rejects.toMatchObject({ code: -32_602 });
  });

  it.each([
    ["--toolsets=worklow", 'INVALID_INPUT: toolsets has "worklow", which does not exist. There are: workflow, project, sessions.'],
    ["--tools=workflow_save", 'INVALID_INPUT: tools has "workflow_save", which does not exist. There are: workflow_checkpoint_save, '],
  ])("end the server with the reason when a name is wrong: %s", async (arg, message) => {
    const program = join(await bundleServer(), "workrail-mcp.mjs");
    const { status, stderr } = spawnSync(process.execPath, [program, arg], { input: "", encoding: "utf8" });
    expect(status).toBe(1);
    expect(stderr.slice(0, message.length)).toBe(message);
  });
});
