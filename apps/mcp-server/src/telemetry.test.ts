import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { ServerProcess, TestHome } from "./testing/server-process.ts";

const SETUP = pathToFileURL(fileURLToPath(new URL("./testing/telemetry-setup.ts", import.meta.url))).href;
const SAVE = "workflow_checkpoint_save";
const SECRET = "nobody may read this";

interface Told {
  readonly spans: readonly {
    readonly name: string;
    readonly status: number;
    readonly traceId: string;
    readonly attributes: Readonly<Record<string, unknown>>;
  }[];
  readonly histograms: readonly { readonly name: string; readonly unit: string; readonly points: number }[];
}

describe("telemetry", () => {
  it("reports each request with its tool and its error, in the trace of the caller, and no value", async () => {
    await using home = await TestHome.create();
    const file = join(home.directory, "telemetry.json");
    const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
    {
      await using server = await ServerProcess.start({ home, nodeOptions: [`--import=${SETUP}`], env: { TELEMETRY_FILE: file } });
      // The client has listed the tools.
      await server.client.callTool({
        name: SAVE,
        arguments: { sessionId: "s", context: { goal: SECRET } },
        _meta: { traceparent: `00-${traceId}-00f067aa0ba902b7-01` },
      });
      await server.fails("workflow_checkpoint_load", { sessionId: "none" });
      await expect(server.client.getPrompt({ name: "none" })).rejects.toMatchObject({ code: -32_602 });
      await pause(200);
    }
    const text = readFileSync(file, "utf8");
    const { spans, histograms } = JSON.parse(text) as Told;
    expect(spans.map(({ name, status, attributes }) => [name, status, attributes["error.type"]])).toEqual([
      ["tools/list", 0, undefined],
      [`tools/call ${SAVE}`, 0, undefined],
      ["tools/call workflow_checkpoint_load", 2, "SESSION_NOT_FOUND"],
      ["prompts/get none", 2, "-32602"],
    ]);
    expect(spans[1]).toMatchObject({
      kind: 1,
      traceId,
      scope: "@workrail/mcp-server",
      attributes: { "mcp.method.name": "tools/call", "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": SAVE },
    });
    expect(histograms).toEqual([{ name: "mcp.server.operation.duration", unit: "s", points: 4 }]);
    expect(text).not.toContain(SECRET);
  });
});
