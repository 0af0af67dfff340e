import { once } from "node:events";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundleServer } from "../testing/bundle.ts";
import { connectHttp } from "../testing/any-client.ts";
import { HttpFixture, messageIn } from "../testing/http-fixture.ts";
import { TestHome } from "../testing/server-process.ts";
import { maxBodyBytesOf } from "./serve-http.ts";
import { createToken, revokeToken } from "./token-file.ts";

const LIST = { jsonrpc: "2.0", id: 1, method: "tools/list" };
const call = (id: number, name: string, given: object = {}): object => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: given },
});

/** The tools that save, those that only read, and the one that deletes for good. */
const READING = [
  "workflow_checkpoint_load",
  "workflow_checkpoint_list",
  "workflow_resume",
  "checkpoint_search",
  "checkpoint_list",
  "checkpoint_get",
];
const DELETING = "checkpoint_delete";

async function toolsOf(server: HttpFixture, token: string): Promise<readonly string[]> {
  const { result } = await messageIn(await server.post(LIST, { authorization: `Bearer ${token}` }));
  return (result as { tools: readonly { name: string }[] }).tools.map(({ name }) => name);
}

/** Sends bytes over a socket of its own. */
async function socketTo({ hostname, port }: URL): Promise<Socket> {
  const socket = connect(Number(port), hostname);
  socket.on("error", () => {});
  await once(socket, "connect");
  return socket;
}

function headOf(url: URL, bodyBytes: number, more = ""): string {
  return `POST ${url.pathname} HTTP/1.1\r\nHost: ${url.host}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: ${bodyBytes}\r\n${more}\r\n`;
}

describe("the server on HTTP, without tokens on this machine", () => {
  let server: HttpFixture;

  beforeAll(async () => {
    server = await HttpFixture.start();
  });

  afterAll(async () => {
    await server[Symbol.asyncDispose]();
  });

  const get = (path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
    fetch(new URL(path, server.url), { headers });

  async function rawStatus(head: string): Promise<string> {
    const socket = await socketTo(server.url);
    socket.end(head);
    const chunks: Buffer[] = [];
    for await (const chunk of socket) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks).toString().split("\r\n")[0] ?? "";
  }

  /** Tells whether the next call works. */
  async function isAlive(): Promise<boolean> {
    const { result } = await messageIn(await server.post(call(9, "echo", { userContext: { still: "here" } })));
    return JSON.stringify(result).includes('"userContext":{"still":"here"}');
  }

  it("reports that it is live and ready", async () => {
    expect(await (await get("/healthz")).json()).toEqual({ status: "ok" });
    expect(await (await get("/readyz")).json()).toEqual({ status: "ready" });
  });

  it.each(["evil.example", "evil.example:80", "127.0.0.1.evil.example", "localhost.evil.example", "[::2]", "a b"])(
    "refuses a request to the host %s, whatever it asks for",
    async (host) => {
      for (const path of ["/mcp", "/healthz", "/readyz", "/.well-known/oauth-protected-resource"]) {
        expect(await rawStatus(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)).toMatch(/ 40[03] /u);
      }
    },
  );

  it("refuses a request without a host", async () => {
    expect(await rawStatus("GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n")).toContain(" 400 ");
    expect(await rawStatus("GET /healthz HTTP/1.0\r\n\r\n")).toMatch(/ 40[03] /u);
  });

  it.each(["http://evil.example", "https://127.0.0.1.evil.example", "null", "file://", "chrome-extension://abc"])(
    "refuses a request that a page of %s sends",
    async (origin) => {
      expect((await server.post(LIST, { origin })).status).toBe(403);
    },
  );

  it("takes requests of pages of this machine", async () => {
    expect((await server.post(LIST, { origin: "http://localhost:6274" })).status).toBe(200);
  });

  it("needs no token, and reports that", async () => {
    expect((await get("/.well-known/oauth-protected-resource")).status).toBe(404);
  });

  it("has nothing at other paths, and takes no other methods", async () => {
    expect((await get("/")).status).toBe(404);
    expect((await get("/mcp")).status).toBe(405);
    expect((await fetch(server.url, { method: "DELETE" })).status).toBe(405);
  });

  it("takes only JSON", async () => {
    expect((await server.post(JSON.stringify(LIST), { "content-type": "text/plain" })).status).toBe(415);
    expect(await isAlive()).toBe(true);
  });

  it.each<[string, string | Uint8Array, number]>([
    ["text that is no JSON", '{"jsonrpc":"2.0","id":1,"method"', -32700],
    ["bytes that are no UTF-8", Buffer.from('{"jsonrpc":"2.0","id":1,"method":"\xff"}', "latin1"), -32700],
    ["a batch", "[]", -32600],
    ["a message without version", '{"id":1,"method":"ping"}', -32600],
    ["params that are no object", '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}', -32602],
    ["initialize without what it needs", '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}', -32602],
    ["nothing", "", -32700],
  ])("answers %s with an error", async (_, body, code) => {
    const response = await server.post(body);
    expect(response.status).toBe(400);
    expect(await messageIn(response)).toMatchObject({ error: { code } });
    expect(await isAlive()).toBe(true);
  });

  it("keeps lone surrogates, __proto__ and the order of keys", async () => {
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"userContext":{"b":"\\ud800","a":1,"__proto__":{"x":1}}}}}`;
    const { result } = await messageIn(await server.post(body));
    const [{ text }] = (result as { content: readonly [{ text: string }] }).content;
    expect(text).toContain('{"b":"\\ud800","a":1,"__proto__":{"x":1}}');
  });

  it("refuses a body over the limit, with or without a stated length, and stops reading it", async () => {
    const large = JSON.stringify(call(1, "echo", { userContext: { text: "x".repeat(1024 * 1024) } }));
    expect((await server.post(large)).status).toBe(413);
    const piece = new Uint8Array(64 * 1024).fill(0x20);
    const chunked = ReadableStream.from(Array.from({ length: 256 }, () => piece));
    const init = { method: "POST", headers: { "content-type": "application/json" }, body: chunked, duplex: "half" as const };
    const sent = fetch(server.url, init).then(
      ({ status }) => status,
      () => "closed",
    );
    expect([413, "closed"]).toContain(await sent);
    const socket = await socketTo(server.url);
    socket.write(headOf(server.url, 64 * 1024 * 1024 * 1024));
    expect(String((await once(socket, "data"))[0])).toContain(" 413 ");
    socket.destroy();
    expect(await isAlive()).toBe(true);
  });

  it("survives clients that never read their answers", async () => {
    const body = JSON.stringify(call(1, "fill", { length: 900_000 }));
    const request = headOf(server.url, Buffer.byteLength(body)) + body;
    const sockets = await Promise.all(Array.from({ length: 6 }, () => socketTo(server.url)));
    for (const socket of sockets) {
      socket.pause();
      for (let count = 0; count < 10; count++) socket.write(request);
    }
    // A kept connection may end just when it is used again, as a busy server ends it late.
    await expect.poll(isAlive, { timeout: 60_000 }).toBe(true);
    for (const socket of sockets) socket.destroy();
    await expect.poll(isAlive, { timeout: 60_000 }).toBe(true);
  });

  it("refuses large bodies while it has enough of them, and takes them again afterwards", async () => {
    // A server of its own: bodies of clients that left a moment ago may still count.
    await using own = await HttpFixture.start();
    const waiting = await Promise.all(Array.from({ length: 4 }, () => socketTo(own.url)));
    for (const socket of waiting) socket.write(headOf(own.url, 1024 * 1024));
    const status = (): Promise<number> => own.post(LIST).then((response) => response.status);
    await expect.poll(status, { timeout: 20_000 }).toBe(503);
    for (const socket of waiting) socket.destroy();
    await expect.poll(status, { timeout: 20_000 }).toBe(200);
  });

  it("answers nothing to a client that leaves in the middle of its body", async () => {
    const socket = await socketTo(server.url);
    socket.write(`${headOf(server.url, 1_000)}{"jsonrpc":`);
    socket.destroy();
    expect(await isAlive()).toBe(true);
  });
});

describe("many connections to the server on HTTP", () => {
  it("are refused beyond a limit, and the server continues when they are closed", async () => {
    await using server = await HttpFixture.start();
    const sockets = await Promise.all(
      Array.from({ length: 1_000 }, async () => {
        const socket = connect(Number(server.url.port), server.url.hostname);
        socket.on("error", () => {});
        // A process may open fewer files than this, and then some of the connections fail.
        await Promise.race([once(socket, "connect"), once(socket, "close")]).catch(() => undefined);
        return socket;
      }),
    );
    for (const socket of sockets) socket.destroy();
    const status = (): Promise<number> =>
      server.post(LIST).then(
        (response) => response.status,
        () => 0,
      );
    await expect.poll(status, { timeout: 20_000 }).toBe(200);
  });
});

describe("the patience of the server on HTTP", () => {
  it("ends with a slow head, a slow body, and a client that reads nothing", async () => {
    const patience = JSON.stringify({ headMs: 300, requestMs: 600, silenceMs: 800 });
    await using server = await HttpFixture.start({ env: { FIXTURE_PATIENCE: patience } });
    const closed = async (begin: string): Promise<string> => {
      const socket = await socketTo(server.url);
      const chunks: Buffer[] = [];
      socket.on("data", (chunk: Buffer) => chunks.push(chunk));
      socket.write(begin);
      const drip = setInterval(() => socket.write(" "), 50);
      // A reset is an end, too: bytes were on their way when the server closed.
      await new Promise((resolve) => socket.once("close", resolve));
      clearInterval(drip);
      return Buffer.concat(chunks).toString().split("\r\n")[0] ?? "";
    };
    expect(await closed("POST /mcp HTTP/1.1\r\nHost: ")).toContain(" 408 ");
    expect(await closed(headOf(server.url, 1_000_000))).toContain(" 408 ");
    const silent = (await socketTo(server.url)).resume();
    await once(silent, "close");
    expect(server.stderr).not.toContain("unexpectedly");
    expect((await server.post(LIST)).status).toBe(200);
  });
});

describe("the limit of requests", () => {
  it("holds for each minute, and says when to come again", async () => {
    await using server = await HttpFixture.start({ settings: { requestsAMinute: 3 } });
    for (let count = 0; count < 3; count++) expect((await server.post(LIST)).status).toBe(200);
    const refused = await server.post(LIST);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    // Others ask for the health of the server.
    expect((await fetch(new URL("/healthz", server.url))).status).toBe(200);
  });

  it("holds for each token on its own", async () => {
    const directory = realpathSync(mkdtempSync(join(tmpdir(), "workrail-http-")));
    const tokenFile = join(directory, "tokens.json");
    try {
      const [one, two] = ["one", "two"].map((name) => createToken(tokenFile, { name, scopes: ["read"], days: 1 }));
      await using server = await HttpFixture.start({ settings: { requestsAMinute: 1, tokenFile } });
      const status = async (token = ""): Promise<number> => (await server.post(LIST, { authorization: `Bearer ${token}` })).status;
      expect([await status(one), await status(one), await status(two), await status("wrong")]).toEqual([200, 429, 200, 401]);
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  });
});

// Windows has no signals: a process is killed there without a request to end.
describe.skipIf(process.platform === "win32")("the shutdown of the server on HTTP", () => {
  it.each(["2025-11-25", "2026-07-28"] as const)(
    "answers 50 calls of protocol %s in flight at SIGTERM, and exits with 0",
    async (protocol) => {
      await using server = await HttpFixture.start();
      const meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
      };
      const isNew = protocol === "2026-07-28";
      const headers = isNew ? { "mcp-protocol-version": protocol, "mcp-method": "tools/call", "mcp-name": "hold" } : {};
      const params = (n: number): object => ({ name: "hold", arguments: { n }, ...(isNew ? { _meta: meta } : {}) });
      const numbers = Array.from({ length: 50 }, (_, index) => index);
      const answers = numbers.map(async (n) => {
        const response = await server.post({ jsonrpc: "2.0", id: n, method: "tools/call", params: params(n) }, headers);
        return (await messageIn(response))["result"] as { structuredContent: { n: number } };
      });
      for (const n of numbers) await server.says(`holding ${n}\n`);
      server.kill("SIGTERM");
      // A new connection is refused, or its request is.
      const attempt = (): Promise<unknown> =>
        server.post(LIST).then(
          ({ status }) => status,
          () => "refused",
        );
      await expect.poll(attempt, { timeout: 20_000 }).toBe("refused");
      server.kill("SIGUSR2");
      expect((await Promise.all(answers)).map(({ structuredContent }) => structuredContent.n)).toEqual(numbers);
      expect(await server.exit()).toBe(0);
      expect(server.stderr.endsWith("closed\n")).toBe(true);
    },
  );

  it.each([
    ["2025-11-25", {}],
    ["2026-07-28", { "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {} }],
  ])("cancels the call of a client of %s that closes its connection", async (version, envelope) => {
    await using server = await HttpFixture.start();
    const leaving = new AbortController();
    const params = { name: "wait_for_cancellation", arguments: {}, _meta: { progressToken: 1, ...envelope } };
    const response = await fetch(server.url, {
      method: "POST",
      signal: leaving.signal,
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": version,
        "mcp-method": "tools/call",
        "mcp-name": "wait_for_cancellation",
      },
    });
    // The report comes while the call runs.
    const { value } = (await response.body?.getReader().read()) ?? {};
    expect(Buffer.from(value ?? []).toString()).toContain('"method":"notifications/progress"');
    leaving.abort();
    const client = await connectHttp("v2 client of 2026-07-28", server.url);
    const counted = async (): Promise<unknown> => (await client.callTool("count_cancellations")).structuredContent;
    await expect.poll(counted).toEqual({ cancelled: 1 });
    await client.close();
  });

  it("does not wait for connections without a call, nor for subscriptions", async () => {
    await using server = await HttpFixture.start();
    const client = await connectHttp("v2 client of 2026-07-28", server.url);
    const idle = await socketTo(server.url);
    const meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {} };
    const listening = await server.post(
      { jsonrpc: "2.0", id: 1, method: "subscriptions/listen", params: { notifications: { toolsListChanged: true }, _meta: meta } },
      { "mcp-protocol-version": "2026-07-28", "mcp-method": "subscriptions/listen" },
    );
    expect(listening.status).toBe(200);
    server.kill("SIGTERM");
    expect(await server.exit()).toBe(0);
    expect(server.stderr).not.toContain("stopping before");
    await listening.text().catch(() => "");
    idle.destroy();
    await client.close();
  });
});

describe("bearer tokens", () => {
  let home: TestHome;
  let server: HttpFixture;
  let tokenFile: string;
  const tokens: Record<string, string> = {};

  beforeAll(async () => {
    home = await TestHome.create();
    tokenFile = join(home.directory, "tokens.json");
    tokens["reader"] = createToken(tokenFile, { name: "reader", scopes: ["read"], days: 1 });
    tokens["writer"] = createToken(tokenFile, { name: "writer", scopes: ["write"], days: 1 });
    tokens["both"] = createToken(tokenFile, { name: "both", scopes: ["read", "write"], days: 1 });
    tokens["admin"] = createToken(tokenFile, { name: "admin", scopes: ["read", "write", "admin"], days: 1 });
    tokens["expired"] = createToken(tokenFile, { name: "expired", scopes: ["read"], days: 1 }, Date.now() - 2 * 86_400_000);
    tokens["revoked"] = createToken(tokenFile, { name: "revoked", scopes: ["read"], days: 1 });
    server = await HttpFixture.start({
      program: {
        command: process.execPath,
        args: [join(await bundleServer(), "workrail-mcp.mjs"), "--http", "0", "--http-token-file", tokenFile],
        cwd: home.project,
      },
      env: { WORKRAIL_DATA_DIR: home.dataDir },
    });
  });

  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await home[Symbol.asyncDispose]();
  });

  async function refusal(authorization?: string): Promise<{ status: number; challenge: string | null; body: string }> {
    const response = await server.post(LIST, authorization === undefined ? {} : { authorization });
    return { status: response.status, challenge: response.headers.get("www-authenticate"), body: await response.text() };
  }

  it.each([
    ["no token", undefined],
    ["another scheme", "Basic dXNlcjpwYXNz"],
    ["an empty token", "Bearer "],
    ["a wrong token", `Bearer wrk_${"A".repeat(43)}`],
    ["a token of another server", "Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0."],
    ["a very long token", `Bearer ${"x".repeat(8_000)}`],
  ])("are needed: %s is refused with a hint where to get one", async (_, authorization) => {
    const { status, challenge, body } = await refusal(authorization);
    expect(status).toBe(401);
    expect(challenge).toContain(`resource_metadata="${new URL("/.well-known/oauth-protected-resource/mcp", server.url).href}"`);
    expect(body).not.toContain("workflow_checkpoint");
  });

  it("expire", async () => {
    expect((await refusal(`Bearer ${tokens["expired"]}`)).status).toBe(401);
  });

  it("are revoked without a restart", async () => {
    expect((await refusal(`Bearer ${tokens["revoked"]}`)).status).toBe(200);
    revokeToken(tokenFile, "revoked");
    expect((await refusal(`Bearer ${tokens["revoked"]}`)).status).toBe(401);
  });

  it("do not reach the metadata, which all may read", async () => {
    const metadata = await (await fetch(new URL("/.well-known/oauth-protected-resource/mcp", server.url))).json();
    expect(metadata).toEqual({
      resource: server.url.href,
      scopes_supported: ["read", "write", "admin"],
      bearer_methods_supported: ["header"],
      resource_name: "Workrail",
    });
  });

  it("list the tools that their scopes allow", async () => {
    const all = await toolsOf(server, tokens["admin"] ?? "");
    expect((await toolsOf(server, tokens["reader"] ?? "")).toSorted()).toEqual(READING.toSorted());
    expect(await toolsOf(server, tokens["writer"] ?? "")).toEqual(all.filter((name) => !READING.includes(name) && name !== DELETING));
    expect(await toolsOf(server, tokens["both"] ?? "")).toEqual(all.filter((name) => name !== DELETING));
    expect(all).toContain(DELETING);
  });

  it.each([
    ["reader", "workflow_checkpoint_save", "write"],
    ["writer", "workflow_checkpoint_load", "read"],
    ["both", DELETING, "admin"],
  ])("call no other tool: %s may not call %s, and nothing happens", async (name, tool, scope) => {
    const given = tool === DELETING ? { id: "c1" } : { sessionId: "refused", context: { a: 1 } };
    const response = await server.post(call(1, tool, given), { authorization: `Bearer ${tokens[name]}` });
    expect(response.status).toBe(403);
    expect(response.headers.get("www-authenticate")).toMatch(new RegExp(`insufficient_scope.*scope="${scope}"`, "u"));
    const sessions = await connectHttp("v1 client", server.url, tokens["admin"]);
    const { structuredContent } = await sessions.callTool("workflow_checkpoint_list", { sessionId: "refused" });
    expect(structuredContent).toEqual(expect.objectContaining({ total: 0 }));
    await sessions.close();
  });

  it("without the scope read show no saved work as a resource, a prompt or a completion", async () => {
    for (const method of ["resources/list", "resources/read", "prompts/list", "prompts/get", "completion/complete"]) {
      const request = { jsonrpc: "2.0", id: 1, method, params: { uri: "workrail://status", name: "resume" } };
      expect((await server.post(request, { authorization: `Bearer ${tokens["writer"]}` })).status).toBe(403);
    }
    expect((await server.post({ ...LIST, method: "resources/list" }, { authorization: `Bearer ${tokens["reader"]}` })).status).toBe(200);
  });

  it("work with each client, and save and load", async () => {
    for (const name of ["v1 client", "v2 client that asks"] as const) {
      const client = await connectHttp(name, server.url, tokens["both"]);
      const saved = (await client.callTool("workflow_checkpoint_save", { sessionId: name, context: { a: 1 } })).structuredContent;
      expect(saved).toMatchObject({ status: "SAVED" });
      const loaded = (await client.callTool("workflow_checkpoint_load", { sessionId: name })).structuredContent;
      expect(loaded).toMatchObject({ context: { a: 1 } });
      await client.close();
    }
  });

  it("save and load a context of 2 MB exactly", async () => {
    const client = await connectHttp("v2 client of 2026-07-28", server.url, tokens["both"]);
    const text = `${"é".repeat(100)}\n`.repeat(10_000);
    const { structuredContent: saved } = await client.callTool("workflow_checkpoint_save", { sessionId: "large", context: { text } });
    expect(saved).toMatchObject({ status: "SAVED" });
    const range = { offset: text.length - 1_000 };
    const loaded = await client.callTool("workflow_checkpoint_load", { sessionId: "large", keys: ["text"], range });
    expect(loaded.structuredContent).toMatchObject({ values: [{ value: text.slice(-1_000), length: text.length }] });
    await client.close();
  });

  it("tell which integers were too long for a number", async () => {
    const given = '{"sessionId":"rounded","context":{"id":12345678901234567890}}';
    const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"workflow_checkpoint_save","arguments":${given}}}`;
    const { result } = await messageIn(await server.post(body, { authorization: `Bearer ${tokens["both"]}` }));
    expect(JSON.stringify(result)).toContain('"integers":["12345678901234567890"]');
  });

  it("name the agent of a save where the protocol does not", async () => {
    const client = await connectHttp("v1 client", server.url, tokens["both"]);
    await client.callTool("workflow_checkpoint_save", { sessionId: "named", context: { a: 1 } });
    const { structuredContent } = await client.callTool("workflow_checkpoint_list", { sessionId: "named", agentId: "both" });
    expect(structuredContent).toEqual(expect.objectContaining({ total: 1 }));
    await client.close();
  });

  it("do not share their sessions: a call without a session never continues in the session of another call", async () => {
    const [one, two] = await Promise.all(["both", "admin"].map((name) => connectHttp("v1 client", server.url, tokens[name])));
    const save = async (client: typeof one): Promise<unknown> => {
      const saved = await client?.callTool("workflow_checkpoint_save", { context: { a: Math.random() } });
      return (saved?.structuredContent as { readonly sessionId?: string } | undefined)?.sessionId;
    };
    const sessions = [await save(one), await save(two), await save(one)];
    expect(new Set(sessions).size).toBe(3);
    await Promise.all([one?.close(), two?.close()]);
  });

  it("appear nowhere in the server's output", () => {
    for (const token of Object.values(tokens)) expect(server.stderr).not.toContain(token);
  });
});

describe("the largest body", () => {
  it("is the largest message of standard input, or less where a context must be small", () => {
    expect(maxBodyBytesOf({ maxContextBytes: 256 * 1024 * 1024 })).toBe(64 * 1024 * 1024);
    expect(maxBodyBytesOf({ maxContextBytes: 1_000 })).toBe(6_000 + 64 * 1024);
  });
});

describe("tokens of an issuer", () => {
  let issuer: Server;
  let issuerUrl: string;
  let server: HttpFixture;
  let sign: (claims?: Record<string, unknown>) => Promise<string>;
  let foreign: string;
  const RESOURCE = "https://mcp.example/mcp";

  beforeAll(async () => {
    const { publicKey, privateKey } = await generateKeyPair("ES256");
    const keys = { keys: [{ ...(await exportJWK(publicKey)), kid: "k1", alg: "ES256" }] };
    issuer = createServer((request, response) => {
      const body = request.url === "/keys" ? keys : { issuer: issuerUrl, jwks_uri: `${issuerUrl}/keys` };
      const isKnown = request.url === "/keys" || request.url === "/.well-known/openid-configuration";
      response.writeHead(isKnown ? 200 : 404, { "content-type": "application/json" }).end(isKnown ? JSON.stringify(body) : "");
    }).listen(0, "127.0.0.1");
    await once(issuer, "listening");
    issuerUrl = `http://127.0.0.1:${(issuer.address() as AddressInfo).port}`;
    sign = (claims = {}) =>
      new SignJWT({
        iss: issuerUrl,
        aud: RESOURCE,
        sub: "someone",
        scope: "openid read",
        exp: Math.floor(Date.now() / 1_000) + 60,
        ...claims,
      })
        .setProtectedHeader({ alg: "ES256", kid: "k1" })
        .sign(privateKey);
    const other = await generateKeyPair("ES256");
    foreign = await new SignJWT({ iss: issuerUrl, aud: RESOURCE, scope: "read", exp: Math.floor(Date.now() / 1_000) + 60 })
      .setProtectedHeader({ alg: "ES256", kid: "k1" })
      .sign(other.privateKey);
    server = await HttpFixture.start({ settings: { issuer: issuerUrl, url: RESOURCE } });
  });

  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    issuer.close();
  });

  const post = (token: string): Promise<Response> => server.post(LIST, { authorization: `Bearer ${token}` });

  it("let in", async () => {
    const response = await post(await sign());
    expect(response.status).toBe(200);
    const { result } = await messageIn(response);
    expect((result as { tools: unknown[] }).tools.length).toBeGreaterThan(0);
  });

  it("may list scopes in scp, and give none that is unknown", async () => {
    const { result } = await messageIn(await post(await sign({ scope: undefined, scp: ["everything"] })));
    expect(result).toEqual({ tools: [] });
  });

  it("must list projects in the claim that the server asks for", async () => {
    await using own = await HttpFixture.start({ settings: { issuer: issuerUrl, url: RESOURCE, projectsClaim: "projects" } });
    const status = async (projects: unknown): Promise<number> => {
      return (await own.post(LIST, { authorization: `Bearer ${await sign({ projects })}` })).status;
    };
    expect([await status(["/a", "/b"]), await status("/a")]).toEqual([200, 200]);
    for (const listed of [undefined, [], ["a"], [1], {}, ""]) expect(await status(listed)).toBe(401);
  });

  it("must name a tenant in the claim that the server asks for", async () => {
    await using own = await HttpFixture.start({ settings: { issuer: issuerUrl, url: RESOURCE, tenantClaim: "org" } });
    const status = async (org: unknown): Promise<number> => {
      return (await own.post(LIST, { authorization: `Bearer ${await sign({ org })}` })).status;
    };
    expect(await status("acme")).toBe(200);
    for (const named of [undefined, "", null, 1, ["acme"], "x".repeat(129)]) expect(await status(named)).toBe(401);
  });

  it.each<[string, Record<string, unknown>]>([
    ["for another server", { aud: "https://other.example/mcp" }],
    ["for nobody", { aud: undefined }],
    ["of another issuer", { iss: "https://other.example" }],
    ["that are expired", { exp: Math.floor(Date.now() / 1_000) - 60 }],
    ["that never expire", { exp: undefined }],
    ["that are not valid yet", { nbf: Math.floor(Date.now() / 1_000) + 3_600 }],
  ])("are refused %s", async (_, claims) => {
    const response = await post(await sign(claims));
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toContain("https://mcp.example/.well-known/oauth-protected-resource/mcp");
  });

  it("are refused with the signature of another key, and with none", async () => {
    expect((await post(foreign)).status).toBe(401);
    const [, payload] = (await sign()).split(".");
    const unsigned = `${Buffer.from('{"alg":"none"}').toString("base64url")}.${payload}.`;
    expect((await post(unsigned)).status).toBe(401);
    expect((await post("a.b.c")).status).toBe(401);
  });
});
