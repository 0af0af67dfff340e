import { join } from "node:path";
import process from "node:process";
import { describe, expect, it } from "vitest";
import { type AnyClient, connectHttp } from "../testing/any-client.ts";
import { bundleServer } from "../testing/bundle.ts";
import { HttpFixture } from "../testing/http-fixture.ts";
import { ServerProcess, TestHome } from "../testing/server-process.ts";

describe("two servers on HTTP and one on standard streams, on one store", () => {
  it("lose no save of any client", async () => {
    await using home = await TestHome.create();
    const args = [join(await bundleServer(), "workrail-mcp.mjs"), "--http", "0"];
    const program = { command: process.execPath, args, cwd: home.project };
    const options = { program, env: { WORKRAIL_DATA_DIR: home.dataDir } };
    await using one = await HttpFixture.start(options);
    await using two = await HttpFixture.start(options);
    await using stdio = await ServerProcess.start({ home });
    await stdio.ok("workflow_checkpoint_save", { sessionId: "shared", context: { goal: "keep all" } });
    const clients = await Promise.all(
      [one, two].flatMap(({ url }) => (["v1 client", "v2 client of 2026-07-28"] as const).map((name) => connectHttp(name, url))),
    );
    const patch = (who: number, step: number): object => ({ set: { [`${who}-${step}`]: step } });
    const steps = Array.from({ length: 6 }, (_, step) => step);
    const save = async (client: AnyClient, who: number): Promise<void> => {
      for (const step of steps) {
        const { isError, content } = await client.callTool("workflow_checkpoint_save", { sessionId: "shared", patch: patch(who, step) });
        if (isError === true) throw new Error(JSON.stringify(content));
      }
    };
    await Promise.all([
      ...clients.map(save),
      ...steps.map((step) => stdio.ok("workflow_checkpoint_save", { sessionId: "shared", patch: patch(9, step) })),
    ]);
    const expected = [...clients.keys(), 9].flatMap((who) => steps.map((step) => `${who}-${step}`));
    const loaded = await clients[3]?.callTool("workflow_checkpoint_load", { sessionId: "shared" });
    const { context } = (loaded?.structuredContent ?? {}) as { readonly context?: object };
    expect(Object.keys(context ?? {}).toSorted()).toEqual(["goal", ...expected].toSorted());
    await Promise.all(clients.map((client) => client.close()));
  });
});
