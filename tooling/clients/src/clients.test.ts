import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundleServer } from "../../../apps/mcp-server/src/testing/bundle.ts";
import { HttpFixture } from "../../../apps/mcp-server/src/testing/http-fixture.ts";
import { TestHome } from "../../../apps/mcp-server/src/testing/server-process.ts";
import type { Server } from "./client-program.ts";
import { clientsPage } from "./clients-page.ts";
import { CLIENT_PROGRAMS } from "./programs/index.ts";
import { type Trial, tryClient } from "./try-client.ts";

const PAGE = fileURLToPath(new URL("../../../docs/reference/clients.md", import.meta.url));
const WAYS = ["stdio", "HTTP"] as const;
const PAIRS = CLIENT_PROGRAMS.flatMap((program) => WAYS.map((way) => [program.name, way, program] as const));

describe("the built server, with clients of other projects", () => {
  const trials: Trial[] = [];
  let home: TestHome;
  let overHttp: HttpFixture;
  let servers: Readonly<Record<Server["way"], Server>>;

  beforeAll(async () => {
    home = await TestHome.create();
    const program = join(await bundleServer(), "workrail-mcp.mjs");
    const env = { WORKRAIL_DATA_DIR: home.dataDir, WORKRAIL_PROJECT: home.project };
    overHttp = await HttpFixture.start({
      program: { command: process.execPath, args: [program, "--http", "0", "--http-rate-limit", "0"], cwd: home.project },
      env,
    });
    servers = {
      stdio: { way: "stdio", command: process.execPath, args: [program], env },
      HTTP: { way: "HTTP", url: overHttp.url },
    };
  });

  afterAll(async () => {
    await overHttp[Symbol.asyncDispose]();
    await home[Symbol.asyncDispose]();
  });

  it.each(PAIRS)("%s lists, saves, loads, searches and gets an error over %s", async (_name, way, program) => {
    const trial = await tryClient(program, servers[way], home.directory);
    trials.push(trial);
    expect(trial).toMatchObject({ tools: 13, savesAndLoads: true, searches: true, error: expect.any(String) });
  });

  it("are in docs/reference/clients.md as they are here (renewed by --update)", async () => {
    await expect(clientsPage(trials)).toMatchFileSnapshot(PAGE);
  });
});
