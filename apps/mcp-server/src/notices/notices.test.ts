import { join } from "node:path";
import process from "node:process";
import { openWorkrail, type Workrail } from "@workrail/runtime";
import { describe, expect, it } from "vitest";
import { bundleServer } from "../testing/bundle.ts";
import { HttpFixture } from "../testing/http-fixture.ts";
import { LIST, noticingNew, type NoticingClient, noticingOld } from "../testing/noticing-client.ts";
import { TestHome } from "../testing/server-process.ts";

/** A store that a server and this process have open. */
interface Scene {
  readonly client: NoticingClient;
  readonly other: Workrail;
  readonly server: HttpFixture | undefined;
}

/** Ways to connect to a server that tells of changes. */
const WAYS = ["2025-11-25 by the v1 library", "2025-11-25 by the v2 library", "2026-07-28 on stdio", "2026-07-28 on HTTP"] as const;
type Way = (typeof WAYS)[number];

async function withClient(way: Way, test: (scene: Scene) => Promise<void>, args: readonly string[] = []): Promise<void> {
  await using home = await TestHome.create();
  const program = { command: process.execPath, args: [join(await bundleServer(), "workrail-mcp.mjs"), ...args], cwd: home.project };
  const env = { WORKRAIL_DATA_DIR: home.dataDir };
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
  it("is told what another process and the server itself save, and nothing else", () =>
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
