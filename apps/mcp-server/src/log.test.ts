import process from "node:process";
import { describe, expect, it, vi } from "vitest";
import { createLog } from "./log.ts";
import { HttpFixture } from "./testing/http-fixture.ts";
import { RawClient } from "./testing/raw-client.ts";

/** Returns the log of a server that fails once and stops. */
async function logOf(level: string | undefined): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const client = new RawClient({ WORKRAIL_LOG_LEVEL: level });
  await client.call(1, "fail_unforeseen");
  client.endInput();
  expect(await client.exit()).toEqual({ code: 0, signal: null });
  expect(client.answers).toHaveLength(1);
  const lines = client.stderr.split("\n").filter((line) => line.startsWith("{"));
  return lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
}

describe("createLog", () => {
  it("logs warnings and errors to stderr by default", async () => {
    expect(await logOf(undefined)).toEqual([
      {
        level: "error",
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/u) as unknown,
        request: 1,
        tool: "fail_unforeseen",
        error: expect.objectContaining({ type: "Error" }) as unknown,
        msg: "a tool failed unexpectedly",
      },
    ]);
  });

  it("logs more from the level in WORKRAIL_LOG_LEVEL upwards", async () => {
    const messages = (await logOf("info")).map(({ msg }) => msg);
    expect(messages).toEqual(["a tool failed unexpectedly", "request", "stopping"]);
  });

  it("can be silent", async () => {
    expect(await logOf("silent")).toEqual([]);
  });

  it("does not stop the server when stderr is closed, or never read", async () => {
    const client = new RawClient();
    client.ignoreErrors();
    for (let id = 1; id <= 1_000; id += 1) {
      await client.request(id, "tools/call", { name: "fail_unforeseen" });
    }
    expect((await client.answer(1_000)).result?.isError).toBe(true);
    client.closeErrors();
    expect((await client.call("next", "fail_unforeseen")).result?.isError).toBe(true);
    client.endInput();
    expect(await client.exit()).toEqual({ code: 0, signal: null });
  });
});

it("escapes control characters, and keeps the meaning", () => {
  const lines: string[] = [];
  const write = vi.spyOn(process.stderr, "write").mockImplementation((line) => lines.push(String(line)) > 0);
  const text = "\u009b31m \u202egnp.exe \u2066 \u007f \u001b[2J \u200e";
  createLog("warn").warn(text, { path: text });
  write.mockRestore();
  expect(lines.join("")).toMatch(/^[\u0020-\u007e]+\n$/u);
  expect(JSON.parse(lines.join(""))).toMatchObject({ msg: text, path: text });
});

describe.each(["v1", "v2"])("the log of requests from the level info upwards, with version %s of the library", (version) => {
  it("has a line for each, with its number, its id, the tool, the time and the outcome, and no argument", async () => {
    const client = new RawClient({ WORKRAIL_LOG_LEVEL: "info", FIXTURE_ADAPTER: version });
    const clientInfo = { name: "test", version: "1" };
    await client.request("hello", "initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
    await client.answer("hello");
    await client.call("a", "echo", { userContext: { word: "zeppelin" } });
    await client.call(7, "fail_coded", {});
    await client.call(8, "zeppelin", {});
    await client.request(9, "zeppelin/read", { word: "zeppelin" });
    await client.answer(9);
    await client.request(10, "tools/call", { name: "wait_for_cancellation", arguments: {}, _meta: { progressToken: 1 } });
    await expect.poll(() => JSON.stringify(client.answers)).toContain("notifications/progress");
    await client.write(JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 10 } }) + "\n");
    await client.stderrLine('"outcome":"cancelled"');
    client.endInput();
    await client.exit();
    const lines = client.stderr.split("\n").filter((line) => line.includes('"msg":"request"'));
    const told = lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
    const common = { level: "info", time: expect.any(String) as unknown, ms: expect.any(Number) as unknown, msg: "request" };
    expect(told).toEqual([
      { ...common, request: 1, method: "tools/call", id: "a", tool: "echo", outcome: "ok" },
      { ...common, request: 2, method: "tools/call", id: 7, tool: "fail_coded", outcome: "CHECKPOINT_NOT_FOUND" },
      { ...common, request: 3, method: "tools/call", id: 8, outcome: "-32602" },
      { ...common, request: 4, method: "unknown", id: 9, outcome: "-32601" },
      { ...common, request: 5, method: "tools/call", id: 10, tool: "wait_for_cancellation", outcome: "cancelled" },
    ]);
    expect(client.stderr).not.toContain("zeppelin");
  });
});

describe("the log of requests over HTTP", () => {
  it("numbers them, whichever ids their clients gave", async () => {
    await using server = await HttpFixture.start({ env: { WORKRAIL_LOG_LEVEL: "info" } });
    for (const word of ["zeppelin", "balloon"]) {
      const params = { name: "echo", arguments: { userContext: { word } } };
      await (await server.post({ jsonrpc: "2.0", id: 1, method: "tools/call", params })).text();
    }
    await server.says('"request":2');
    const lines = server.stderr.split("\n").filter((line) => line.includes('"msg":"request"'));
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      { request: 1, id: 1, tool: "echo", outcome: "ok" },
      { request: 2, id: 1, tool: "echo", outcome: "ok" },
    ]);
    expect(server.stderr).not.toMatch(/zeppelin|balloon/u);
  });
});
