import { join } from "node:path";
import process from "node:process";
import { openWorkrail, type Workrail } from "@workrail/runtime";
import { describe, expect, it } from "vitest";
import { bundleServer } from "../testing/bundle.ts";
import { HttpFixture, messageIn } from "../testing/http-fixture.ts";
import { LIST, noticingNew, type NoticingClient, noticingOld } from "../testing/noticing-client.ts";
import { TestHome } from "../testing/server-process.ts";

/** A store that a server and this process have open. */
interface Scene {
  readonly client: NoticingClient;
  readonly other: Workrail;
  readonly server: HttpFixture | undefined;
}

/** Ways to connect to a server that sends notices. */
const WAYS = ["2025-11-25 by the v1 library", "2025-11-25 by the v2 library", "2026-07-28 on stdio", "2026-07-28 on HTTP"] as const;
type Way = (typeof WAYS)[number];

async function withClient(way: Way, test: (scene: Scene) => Promise<void>, more: Readonly<Record<string, string>> = {}): Promise<void> {
  await using home = await TestHome.create();
  const program = { command: process.execPath, args: [join(await bundleServer(), "workrail-mcp.mjs")], cwd: home.project };
  const env = { WORKRAIL_DATA_DIR: home.dataDir, ...more };
  const http = { ...program, args: [...program.args, "--http", "0"] };
  await using server = way === "2026-07-28 on HTTP" ? await HttpFixture.start({ program: http, env }) : undefined;
  const client =
    server !== undefined
      ? await noticingNew({ url: server.url })
      : way === "2026-07-28 on stdio"
        ? await noticingNew({ command: program, env })
        : await noticingOld(way.includes("v1") ? "v1" : "v2", program, env);
  await using other = await openWorkrail({ dataDir: home.dataDir, env: {}, project: home.project });
  try {
    await test({ client, other, server });
  } finally {
    await client.close();
  }
}

const latest = (sessionId: string): string => `workrail://sessions/${sessionId}/latest`;
const save = (workrail: Workrail, sessionId: string, step: number) => workrail.saveCheckpoint({ sessionId, context: { step } });

describe.each(WAYS)("a client of %s", (way) => {
  it("gets notices of saves by another process and by the server itself, and no others", () =>
    withClient(way, async ({ client, other }) => {
      expect(client.capabilities()).toMatchObject({ resources: { subscribe: true, listChanged: true } });
      const { checkpointId } = await save(other, "mine", 1);
      const checkpoint = `workrail://checkpoints/${checkpointId}`;
      const all = [latest("mine"), latest("later"), checkpoint, `${checkpoint}/step`, "workrail://sessions", "workrail://status", LIST];
      expect(await client.subscribe(all)).toEqual(all);
      await save(other, "later", 1);
      await save(other, "unnamed", 1);
      await client.told(latest("later"), "workrail://sessions", "workrail://status", LIST);
      await client.callTool("workflow_checkpoint_save", { sessionId: "mine", context: { step: 2 } });
      await client.told(latest("mine"), "workrail://sessions", "workrail://status");
      await other.deleteCheckpoint({ checkpointId });
      await client.told(checkpoint, `${checkpoint}/step`, latest("mine"), "workrail://sessions", "workrail://status");
      expect(client.taken()).toEqual([]);
      await client.unsubscribe();
      await save(other, "mine", 3);
      await client.subscribe([latest("more")]);
      await save(other, "more", 1);
      await client.told(latest("more"));
      expect(client.taken()).not.toContain(latest("mine"));
    }));
});

describe("a client with an unsupported subscription", () => {
  it("is refused by 2025-11-25", () =>
    withClient("2025-11-25 by the v1 library", async ({ client, other }) => {
      for (const uri of ["workrail://nothing", "workrail://checkpoints/0123"]) {
        await expect(client.subscribe([uri])).rejects.toMatchObject({ code: -32002, data: { uri } });
      }
      await client.subscribe(Array.from({ length: 100 }, (_, index) => latest(`s${index}`)));
      await expect(client.subscribe([latest("one-more")])).rejects.toThrow("at most 100 resources");
      await save(other, "s99", 1);
      await client.told(latest("s99"));
    }));

  it("learns by 2026-07-28 which of its resources there are", () =>
    withClient("2026-07-28 on stdio", async ({ client, other }) => {
      expect(await client.subscribe(["workrail://nothing", latest("mine")])).toEqual([latest("mine")]);
      await expect(client.subscribe(["workrail://checkpoints/0123"])).rejects.toMatchObject({ code: -32602 });
      await expect(client.subscribe(Array.from({ length: 101 }, (_, index) => latest(`s${index}`)))).rejects.toThrow("at most 100");
      for (let count = 1; count < 16; count += 1) await client.subscribe([latest(`s${count}`)]);
      await expect(client.subscribe([latest("one-more")])).rejects.toThrow("at most 16 subscriptions");
      await save(other, "mine", 1);
      await client.told(latest("mine"));
      expect(client.taken()).toEqual([]);
    }));

  it("finds no notices by 2025-11-25 on HTTP, where a request stands alone", async () => {
    await using server = await HttpFixture.start();
    const clientInfo = { name: "old", version: "1" };
    const initialize = {
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo },
    };
    expect(await messageIn(await server.post(initialize))).toMatchObject({ result: { capabilities: { resources: {} } } });
    const subscribe = { jsonrpc: "2.0", id: 2, method: "resources/subscribe", params: { uri: "workrail://status" } };
    expect(await messageIn(await server.post(subscribe))).toMatchObject({ error: { code: -32601 } });
  });
});

describe("a server whose projects are isolated strictly", () => {
  it.each(["2025-11-25 by the v1 library", "2026-07-28 on HTTP"] as const)("reports nothing of another project, by %s", (way) =>
    withClient(
      way,
      async ({ client, other }) => {
        await client.subscribe([latest("theirs"), latest("ours"), "workrail://sessions", "workrail://status", LIST]);
        await other.saveCheckpoint({ sessionId: "theirs", context: { step: 1 }, project: "/elsewhere" });
        await client.subscribe([latest("also-ours")]);
        await save(other, "also-ours", 1);
        await client.told(latest("also-ours"), LIST);
        await other.erase({ sessionId: "theirs" });
        await save(other, "ours", 1);
        await client.told(latest("ours"));
        expect(client.taken()).not.toContain(latest("theirs"));
      },
      { WORKRAIL_ISOLATION: "strict" },
    ),
  );
});

// Windows has no signals.
describe.skipIf(process.platform === "win32")("a server that stops", () => {
  it("ends the streams of its clients on HTTP in an orderly way", () =>
    withClient("2026-07-28 on HTTP", async ({ client, server }) => {
      await client.subscribe(["workrail://status"]);
      server?.kill("SIGTERM");
      expect(await client.ending()).toBe("graceful");
      expect(await server?.exit()).toBe(0);
    }));
});
