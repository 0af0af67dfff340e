import { PROTOCOL_VERSION_META_KEY } from "@modelcontextprotocol/server";
import { describe, expect, it } from "vitest";
import type { Offer } from "../catalogue.ts";
import type { Notice, Notices, Tell } from "../notices/notices.ts";
import { createSdkV2Server } from "../sdk-v2-server.ts";
import { Listeners } from "./listeners.ts";

const URI = "workrail://status";
const UPDATED: Notice = { method: "notifications/resources/updated", params: { uri: URI } };
const ignore = (): void => {};

/** Streams whose watches a test drives. */
class Bench {
  readonly watches: { readonly tell: Tell; readonly signal: AbortSignal }[] = [];
  readonly listeners: Listeners;

  constructor() {
    const notices: Notices = {
      known: (uris) => uris,
      watch: async (_wanted, tell, signal) => void this.watches.push({ tell, signal }),
    };
    const log = { debug: ignore, info: ignore, warn: ignore, error: ignore };
    const offer: Offer = {
      info: { name: "bench", title: "Bench", version: "1" },
      instructions: "",
      capabilities: { resources: {} },
      methods: [],
      notices,
      log,
      answer: async () => ({}),
    };
    this.listeners = new Listeners({ offerFor: () => offer, serverFor: () => createSdkV2Server(offer, { notices: "listening" }), log });
  }

  async listen(more: { readonly caller?: string; readonly isAllowed?: () => Promise<boolean> } = {}): Promise<Response> {
    const _meta = { [PROTOCOL_VERSION_META_KEY]: "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {} };
    const params = { notifications: { resourceSubscriptions: [URI] }, _meta };
    const parsedBody = { jsonrpc: "2.0", id: 1, method: "subscriptions/listen", params };
    const headers = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "subscriptions/listen",
    };
    const request = new Request("http://localhost/mcp", { method: "POST", headers, body: JSON.stringify(parsedBody) });
    const authInfo = more.caller === undefined ? {} : { authInfo: { token: "", clientId: more.caller, scopes: ["read"] } };
    const isAllowed = more.isAllowed === undefined ? {} : { isAllowed: more.isAllowed };
    const response = await this.listeners.fetch(request, { parsedBody, ...authInfo, ...isAllowed });
    if (response === undefined) throw new Error("It did not listen.");
    return response;
  }
}

/** Reads the text of one frame. */
async function frameOf(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string> {
  const { value } = await reader.read();
  return new TextDecoder().decode(value);
}

describe("a stream of notices", () => {
  it("waits with a notice until the client has read the one before", async () => {
    const bench = new Bench();
    const { body } = await bench.listen();
    const [watch] = bench.watches;
    let isRead = false;
    const told = watch?.tell(UPDATED).then(() => (isRead = true));
    await new Promise(setImmediate);
    expect(isRead).toBe(false);
    const reader = (body as ReadableStream<Uint8Array>).getReader();
    expect(await frameOf(reader)).toContain("notifications/subscriptions/acknowledged");
    expect(await frameOf(reader)).toContain("notifications/resources/updated");
    await told;
    await bench.listeners.close();
    expect(await frameOf(reader)).toContain('"result"');
    expect((await reader.read()).done).toBe(true);
  });

  it("ends its watch when the client disconnects, and sends no more notices", async () => {
    const bench = new Bench();
    const { body } = await bench.listen();
    const [watch] = bench.watches;
    const told = watch?.tell(UPDATED);
    await body?.cancel();
    await told;
    expect(watch?.signal.aborted).toBe(true);
    await watch?.tell(UPDATED);
  });

  it("ends without a notice to a caller whose token is no longer valid", async () => {
    const bench = new Bench();
    const { body } = await bench.listen({ caller: "one", isAllowed: async () => false });
    await bench.watches[0]?.tell(UPDATED);
    expect(await new Response(body).text()).not.toContain("notifications/resources/updated");
    expect(bench.watches[0]?.signal.aborted).toBe(true);
  });

  it("is refused when a caller, or all callers, have as many as can be", async () => {
    const bench = new Bench();
    const responses: Response[] = [];
    const typesOf = (): readonly (string | null)[] => responses.splice(0).map(({ headers }) => headers.get("content-type"));
    for (let count = 0; count < 16; count += 1) responses.push(await bench.listen({ caller: "one" }));
    expect(new Set(typesOf())).toEqual(new Set(["text/event-stream"]));
    const refused = await bench.listen({ caller: "one" });
    expect(await refused.json()).toMatchObject({ id: 1, error: { code: -32600 } });
    for (let count = 16; count < 256; count += 1) responses.push(await bench.listen({ caller: `caller ${count}` }));
    expect(new Set(typesOf())).toEqual(new Set(["text/event-stream"]));
    expect((await bench.listen({ caller: "another" })).headers.get("content-type")).toBe("application/json");
    await bench.listeners.close();
    expect((await bench.listen({ caller: "another" })).headers.get("content-type")).toBe("text/event-stream");
    await bench.listeners.close();
  });
});
