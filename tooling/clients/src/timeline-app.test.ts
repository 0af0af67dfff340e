import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { buildTestHost } from "@workrail/timeline/build";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BROWSER, NO_BROWSER, useBrowser } from "../../../apps/cli/src/ui/testing/use-browser.ts";
import { bundleServer } from "../../../apps/mcp-server/src/testing/bundle.ts";

const URI = "ui://workrail/timeline.html";
const UI = { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } } };

let folder: string;
const clients: Client[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "workrail-app-"));
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
});

async function connect(capabilities: object): Promise<Client> {
  const client = new Client({ name: "test-host", version: "1" }, { capabilities });
  const args = [join(await bundleServer(), "workrail-mcp.mjs")];
  const env = { PATH: process.env["PATH"] ?? "", WORKRAIL_DATA_DIR: join(folder, "data") };
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env, cwd: folder, stderr: "ignore" }));
  clients.push(client);
  return client;
}

async function save(client: Client, id: string, context: object): Promise<void> {
  const given = { sessionId: "shop", context, metadata: { name: id } };
  expect((await client.callTool({ name: "workflow_checkpoint_save", arguments: given })).isError).toBeUndefined();
}

async function readPage(client: Client): Promise<string> {
  const { contents } = await client.readResource({ uri: URI });
  const [page] = contents as readonly { readonly mimeType?: string; readonly text: string }[];
  expect(page?.mimeType).toBe("text/html;profile=mcp-app");
  return page?.text ?? "";
}

describe("the timeline page in the host of an agent", () => {
  it("is offered to hosts that show pages, and costs others nothing", async () => {
    const [plain, showing] = [(await (await connect({})).listTools()).tools, (await (await connect(UI)).listTools()).tools];
    expect(JSON.stringify(plain)).not.toContain("ui://");
    expect(showing.slice(0, plain.length).map(({ _meta, ...tool }) => tool)).toEqual(plain.map(({ _meta, ...tool }) => tool));
    const opening = showing.filter(({ _meta }) => (_meta?.["ui"] as { readonly resourceUri?: string } | undefined)?.resourceUri === URI);
    expect(opening.map(({ name }) => name)).toEqual([
      "workflow_checkpoint_list",
      "workflow_resume",
      "checkpoint_search",
      "workrail_timeline",
    ]);
    expect(showing.slice(plain.length)).toMatchObject([{ name: "workrail_timeline", _meta: { ui: { visibility: ["app"] } } }]);
  });

  it("is at most 120 KB, compressed", async () => {
    expect(gzipSync(await readPage(await connect(UI))).length).toBeLessThan(120 * 1024);
  });

  it("gets its data by a tool that changes nothing", async () => {
    const client = await connect(UI);
    await save(client, "first", { goal: "ship" });
    const call = (given: object) => client.callTool({ name: "workrail_timeline", arguments: { ...given } });
    expect(await call({ call: "sessions" })).toMatchObject({ structuredContent: { answer: { total: 1, mayWrite: false } } });
    for (const given of [
      { call: "tag", params: { sessionId: "shop", add: ["x"] } },
      { call: "constructor" },
      { call: "changes", params: {} },
    ]) {
      expect(await call(given)).toMatchObject({ isError: true, _meta: { code: "INVALID_INPUT" } });
    }
  });

  describe.skipIf(BROWSER === undefined)(`in a sandboxed frame (${NO_BROWSER})`, () => {
    const browser = useBrowser();

    it("shows the session of the call that opened it, and sends the agent a message", async () => {
      const client = await connect(UI);
      await save(client, "first", { goal: "ship" });
      await save(client, "second", { goal: "ship today" });
      const { page, faults } = await browser.open();
      const [called, heard]: [string[], string[]] = [[], []];
      await page.exposeFunction("readPage", () => readPage(client));
      await page.exposeFunction("callTool", (params: { readonly name: string; readonly arguments: { readonly call: string } }) => {
        called.push(`${params.name} ${params.arguments.call}`);
        return client.callTool({ ...params, arguments: { ...params.arguments } });
      });
      await page.exposeFunction("heard", (text: string) => void heard.push(text));
      await page.exposeFunction("openingResult", () => client.callTool({ name: "workflow_resume", arguments: { sessionId: "shop" } }));
      const asked: string[] = [];
      page.on("request", (request) => asked.push(request.url()));
      const host = await buildTestHost();
      await page.route("http://host.test/", (route) => route.fulfill({ contentType: "text/html", body: host }));
      await page.goto("http://host.test/");
      const frame = page.frameLocator("iframe");
      // Inline it shows one part at a time.
      await frame.getByRole("heading", { name: "second" }).waitFor();
      await frame.getByText("2 tokens").or(frame.getByText("1 changed")).first().waitFor();
      expect(await frame.getByRole("searchbox", { name: "Search everything" }).isVisible()).toBe(false);
      await frame.getByRole("button", { name: "Full screen" }).click();
      await frame.getByRole("searchbox", { name: "Search everything" }).waitFor();
      await frame.getByRole("link", { name: /#1 first/u }).click();
      await frame.getByRole("heading", { name: "first" }).waitFor();
      await frame.getByRole("button", { name: "Resume from here" }).click();
      await frame.getByText("The message was sent to the agent.").waitFor();
      expect(heard).toEqual([expect.stringMatching(/Call workflow_resume with checkpointId [\w-]+ and continue from there\./u)]);
      expect(new Set(called)).toContain("workrail_timeline changes");
      expect(asked.filter((url) => !/^(?:http:\/\/host\.test\/$|data:|about:)/u.test(url))).toEqual([]);
      expect(faults.all).toEqual([]);
      await page.context().close();
    });
  });
});
