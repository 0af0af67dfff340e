import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type AnyClient, type ClientName, connectHttp, connectStdio } from "./testing/any-client.ts";
import { bundleServer } from "./testing/bundle.ts";
import { HttpFixture } from "./testing/http-fixture.ts";
import { ServerProcess, TestHome } from "./testing/server-process.ts";

/** More than are indexed at once. */
const SESSIONS = 20;
const PAIRS: readonly (readonly [ClientName, "stdio" | "HTTP"])[] = [
  ["v1 client", "stdio"],
  ["v2 client of 2026-07-28", "HTTP"],
];

describe.each(PAIRS)("a call that takes long, of a %s over %s", (name, way) => {
  let home: TestHome;
  let client: AnyClient;
  let server: HttpFixture | undefined;

  beforeEach(async () => {
    home = await TestHome.create();
    await using earlier = await ServerProcess.start({ home });
    for (let n = 0; n < SESSIONS; n += 1)
      await earlier.ok("workflow_checkpoint_save", { sessionId: `s${n}`, context: { goal: `zeppelin ${n}` } });
  });

  afterEach(async () => {
    await client.close();
    await server?.[Symbol.asyncDispose]();
    await home[Symbol.asyncDispose]();
  });

  it("reports how far the rebuilding of a lost catalog and the indexing for a search are", async () => {
    for (const file of readdirSync(home.dataDir).filter((each) => each.startsWith("workrail.db"))) rmSync(join(home.dataDir, file));
    const args = [join(await bundleServer(), "workrail-mcp.mjs"), ...(way === "HTTP" ? ["--http", "0"] : [])];
    const program = { command: process.execPath, args, cwd: home.project };
    const env = { WORKRAIL_DATA_DIR: home.dataDir };
    if (way === "HTTP") server = await HttpFixture.start({ program, env });
    client = server === undefined ? await connectStdio(name, program, env) : await connectHttp(name, server.url);

    const seen: { readonly progress: number; readonly total: number; readonly message: string }[] = [];
    const result = await client.callLongTool({
      name: "checkpoint_search",
      given: { query: "zeppelin", top_k: 100 },
      onProgress: (progress) => seen.push(progress as (typeof seen)[number]),
    });
    expect((result.structuredContent as { results: unknown[] }).results.length).toBeGreaterThan(0);
    expect([...new Set(seen.map(({ message }) => message))]).toEqual(["Reading the checkpoints of a lost catalog", "Indexing for search"]);
    expect(seen.map(({ progress }) => progress)).toEqual(seen.map(({ progress }) => progress).toSorted((a, b) => a - b));
    for (const { progress, total } of seen) expect(progress).toBeLessThanOrEqual(total);
    expect(seen.find(({ message }) => message.startsWith("Reading"))?.total).toBe(SESSIONS);
  });
});
