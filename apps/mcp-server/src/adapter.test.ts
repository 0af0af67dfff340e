import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import {
  type AnyClient,
  type AnyResult,
  type ClientName,
  CLIENTS,
  connectHttp,
  connectStdio,
  speaksOldProtocol,
} from "./testing/any-client.ts";
import { FIXTURE_ICONS, fixtureTools } from "./testing/fixture-tools.ts";
import { HttpFixture } from "./testing/http-fixture.ts";
import { fixtureCommand, RawClient } from "./testing/raw-client.ts";

const FIXTURE = { name: "fixture", title: "Fixture", version: "1.2.3" };
const CLIENT_NAMES = Object.keys(CLIENTS) as ClientName[];
/** Reports of the tool `count`. */
const STEPS = [
  { progress: 1, total: 2, message: "First" },
  { progress: 2, total: 2, message: "First" },
  { progress: 3, total: 4, message: "Second" },
  { progress: 4, total: 4, message: "Second" },
];
/** With version 1 a client of 2026-07-28 alone finds no protocol that both speak. */
const PAIRS = [
  ...CLIENT_NAMES.map((name) => [name, "the adapter that its first message chooses", "", "stdio"] as const),
  ...CLIENT_NAMES.filter(speaksOldProtocol).map((name) => [name, "the adapter of version 1", "v1", "stdio"] as const),
  ...CLIENT_NAMES.map((name) => [name, "the adapter of version 2", "v2", "stdio"] as const),
  ...CLIENT_NAMES.map((name) => [name, "the adapter of version 2", "v2", "HTTP"] as const),
];

/** The server on HTTP that all clients share. */
let overHttp: HttpFixture;

beforeAll(async () => {
  overHttp = await HttpFixture.start();
});

afterAll(() => overHttp[Symbol.asyncDispose]());

describe.for(PAIRS)("a %s, with %s (%s) over %s", ([name, , adapter, way]) => {
  let client: AnyClient;
  /** Each request stands alone over HTTP: before 2026-07-28 only the first one names the client. */
  const isNamed = way === "stdio" || name === "v2 client that asks" || name === "v2 client of 2026-07-28";
  const isNewest = adapter !== "v1" && (name === "v2 client that asks" || name === "v2 client of 2026-07-28");

  beforeAll(async () => {
    client =
      way === "HTTP" ? await connectHttp(name, overHttp.url) : await connectStdio(name, fixtureCommand, { FIXTURE_ADAPTER: adapter });
    // After listing, the client checks every result against the schema.
    await client.listTools();
  });

  afterAll(() => client.close());

  /** Calls a tool. From 2026-07-28 on each result names the server, without its icons. */
  async function call(tool: string, given: Record<string, unknown> = {}, more: Record<string, unknown> = {}): Promise<AnyResult> {
    const { _meta: { "io.modelcontextprotocol/serverInfo": server, ...meta } = {}, ...result } = await client.callTool(tool, given, more);
    expect(server ?? FIXTURE).toEqual(FIXTURE);
    return { ...result, ...(Object.keys(meta).length === 0 ? {} : { _meta: meta }) };
  }

  it("uses the newest protocol that both know", () => {
    expect(client.protocol()).toBe(isNewest ? "2026-07-28" : "2025-11-25");
  });

  it("learns the name, the icon, the instructions and the capabilities of the server", () => {
    expect(client.server()).toEqual({ ...FIXTURE, icons: FIXTURE_ICONS });
    expect(client.instructions()).toBe("Use echo to hear yourself.");
    expect(client.capabilities()).toEqual({ tools: {}, resources: {} });
  });

  it("lists the tools with their schemas, annotations and _meta", async () => {
    const tools = await client.listTools();
    expect(tools.map(({ name: each }) => each)).toEqual(fixtureTools.map(({ name: each }) => each));
    expect(tools[0]).toMatchObject({
      title: "Echo",
      annotations: { title: "Echo", readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
      inputSchema: { type: "object", properties: { userContext: { description: "Comes back as it is" } } },
      outputSchema: { type: "object", properties: { userContext: { description: "What came" } } },
      _meta: { "anthropic/alwaysLoad": true },
    });
  });

  it("gets the result as structured content and as the same JSON text, and is known by its name", async () => {
    const expected = { userContext: { a: [1, null] }, client: isNamed ? "test-client 9.9" : "? ?" };
    expect(await call("echo", { userContext: { a: [1, null] } })).toEqual({
      content: [{ type: "text", text: JSON.stringify(expected) }],
      structuredContent: expected,
    });
  });

  it("may ask for a task, and gets the result at once, because the server offers no tasks", async () => {
    const result = await call("echo", { userContext: { a: 1 } }, { task: { ttl: 60_000 } });
    expect(result.structuredContent).toMatchObject({ userContext: { a: 1 } });
  });

  it("gets the _meta of a result", async () => {
    expect((await call("echo", { userContext: { unchanged: true } }))._meta).toEqual({ code: "CONTEXT_UNCHANGED", httpStatus: 200 });
  });

  it("gets a failure as text and _meta, never as structured content", async () => {
    expect(await call("fail_coded")).toEqual({
      content: [{ type: "text", text: "CHECKPOINT_NOT_FOUND: there is no checkpoint abc. List the checkpoints first." }],
      isError: true,
      _meta: { code: "CHECKPOINT_NOT_FOUND", httpStatus: 404, details: { checkpointId: "abc" } },
    });
  });

  it.each(["fail_unforeseen", "answer_badly"])("does not learn the cause of an unexpected failure (%s)", async (tool) => {
    const result = await call(tool);
    expect(result.isError).toBe(true);
    expect(result._meta).toEqual({ code: "INTERNAL", httpStatus: 500, details: {} });
    expect(JSON.stringify(result)).not.toContain("secret");
  });

  it("learns which argument is missing", async () => {
    const result = await call("echo");
    expect(result.content).toEqual([
      {
        type: "text",
        text: "INVALID_INPUT: userContext is required and must be an object. Correct this and call echo again; it takes: userContext, max_items, mode, tags, paths.",
      },
    ]);
    expect(result._meta).toMatchObject({ code: "INVALID_INPUT", httpStatus: 400 });
    expect(result.structuredContent).toBeUndefined();
  });

  it("may spell an argument in the other dialect", async () => {
    expect((await call("echo", { user_context: { a: 1 } })).structuredContent).toMatchObject({ userContext: { a: 1 } });
  });

  it("gets a protocol error for an unknown tool", async () => {
    await expect(call("nope")).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(/Unknown tool "nope"\. The tools of this server are: echo, hold/u),
    });
  });

  it("gets the progress of a call, in numbers that grow", async () => {
    const seen: unknown[] = [];
    let goneOn: Promise<unknown> | undefined;
    // The libraries drop a report that arrives together with the answer, so that waits for the last one.
    const onProgress = (progress: unknown): void => {
      seen.push(progress);
      if (seen.length === STEPS.length) goneOn = client.callTool("go_on");
    };
    await client.callLongTool({ name: "count", onProgress });
    await goneOn;
    expect(seen).toEqual(STEPS);
  });

  // Before 2026-07-28 a client cancels by a message of its own, which over HTTP does not say whose request it means.
  it.skipIf(way === "HTTP" && !isNewest)("cancels a call", async () => {
    const counted = async (): Promise<number> => {
      const { cancelled } = (await call("count_cancellations")).structuredContent as { readonly cancelled: number };
      return cancelled;
    };
    const before = await counted();
    const cancelling = new AbortController();
    const waiting = client.callLongTool({
      name: "wait_for_cancellation",
      onProgress: () => cancelling.abort(new Error("no longer wanted")),
      signal: cancelling.signal,
    });
    await expect(waiting).rejects.toThrow(/no longer wanted/u);
    await vi.waitFor(async () => expect(await counted()).toBe(before + 1));
  });

  it("reads a resource, and gets a protocol error for an unknown one", async () => {
    expect(await client.readResource("fixture://note")).toMatchObject({
      contents: [{ uri: "fixture://note", mimeType: "application/json", text: '{"note":"here"}' }],
    });
    await expect(client.readResource("fixture://nope")).rejects.toThrow(
      /Unknown resource "fixture:\/\/nope"\. There is: fixture:\/\/note\./u,
    );
  });
});

describe.each(["v1", "v2"])("the adapter of version %s", (version) => {
  it("sends requested reports of progress before the answer, and no others", async () => {
    const client = new RawClient({ FIXTURE_ADAPTER: version });
    const clientInfo = { name: "test", version: "1" };
    await client.request(0, "initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
    await client.answer(0);
    await client.request(1, "tools/call", { name: "count", arguments: {} });
    await client.call(2, "go_on");
    await client.answer(1);
    const before = client.answers.length;
    await client.request(3, "tools/call", { name: "count", arguments: {}, _meta: { progressToken: "mine" } });
    await client.call(4, "go_on");
    await client.answer(3);
    const reports = STEPS.map((step) => ({
      jsonrpc: "2.0",
      method: "notifications/progress",
      params: { progressToken: "mine", ...step },
    }));
    expect(before).toBe(3);
    expect(client.answers.slice(before, -2)).toEqual(reports);
    client.endInput();
    await client.exit();
  });
});

describe("the adapter that the first message chooses", () => {
  const ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };

  it.each([
    ["server/discover", { _meta: ENVELOPE }],
    ["tools/call with the version in _meta", { name: "echo", arguments: { userContext: {} }, _meta: ENVELOPE }],
  ])("is that of version 2 for %s", async (what, params) => {
    const client = new RawClient();
    await client.request(1, what.split(" ")[0] ?? "", params);
    expect((await client.answer(1)).result).toMatchObject({ resultType: "complete" });
    client.endInput();
    await client.exit();
  });

  it("is version 1 for everything else, and answers each message that came meanwhile", async () => {
    const client = new RawClient();
    const ping = (id: number): string => `{"jsonrpc":"2.0","id":${id},"method":"ping"}\n`;
    await client.write(ping(1) + ping(2) + ping(3));
    for (const id of [1, 2, 3]) expect(await client.answer(id)).toEqual({ jsonrpc: "2.0", id, result: {} });
    await client.request(4, "server/discover", { _meta: ENVELOPE });
    expect((await client.answer(4)).error?.code).toBe(-32601);
    client.endInput();
    expect(await client.exit()).toEqual({ code: 0, signal: null });
  });
});
